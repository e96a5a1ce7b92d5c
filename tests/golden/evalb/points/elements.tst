(S (A a))
(S (A a b))
(S (A a))
