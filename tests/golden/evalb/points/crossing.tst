(S (A a) (NP (B b) (C c) (X (D d) (E e))) (F f))
(S (A a) (Z (Z (B b) (C c))) (D d))
(S (A a) (Q (Q (B b) (C c)) (Q (D d) (E e)) (F f)))
(S (A a) (A b) (P (A c) (A d) (A e)) (Q (A f) (A g)) (R (A h) (A i) (A j)))
