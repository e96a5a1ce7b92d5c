(S (A a))
(S (A a)) and so on
(S (A a))
