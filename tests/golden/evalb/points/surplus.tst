(S (NP (A alpha) (A beta)) (VP (B gamma) (NP (C delta) (PP (D epsilon) (NP (E zeta))))))
(S (NP (A a)) (VP (B b))))
(S (NP (A a)))) (VP (B b)))
(S (NP (A a) (B b) (VP (C c) (D d))))))
