(S (NP (DT the) (NN-1 dog)) (VP (VBZ=2 barks)))
(S (NP (PRO it-it)) (VP (VBPI is-be)))
(S (NP (-NONE- x) (NN dog)) (VP (VBZ barks)))
