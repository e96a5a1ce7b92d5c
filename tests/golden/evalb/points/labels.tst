(TOP (SBAR-2 (NP-OBJ (DT the) (NNS dogs)) (VP (VBZ barks) (ADVP (RP up)))))
(TOP (S (PRT (DT the) (NN dog)) (-X (VBZ barks) (PRT-1 (IN up)))))
(TOP (S (NP=1 (DT the) (NN DOG)) (= (VBZ barks) (PP (RB up)))))
(TOP (S (NP (DT the) (NN dogs)) (VP (VBZ barks))))
