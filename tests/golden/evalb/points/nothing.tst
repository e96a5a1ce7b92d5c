(TOP (S (. .) (NN dog)))
(TOP (S (. .) (. !)))
(TOP (S (. .) (. !)))
(TOP (S (NN dog)))


