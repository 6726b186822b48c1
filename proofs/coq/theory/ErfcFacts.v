(** * Facts about erfc that certificates take from Coq

    Each stands in the words of the translator of certificates, with what makes it defined: the citation of a recorded
    fact names it, and Coq is asked whether the theorem is a proof of just that fact. *)
From Coq Require Import Reals Lra.
From Dpref Require Import Erfc.
Open Scope R_scope.

(** y e^(y^2) erfc(y) <= 1 / sqrt(pi) for y >= 0 (Abramowitz and Stegun 1964, 7.1.13) *)
Theorem scaled (y : R) : 0 <= y -> 0 < PI /\ 0 <= / sqrt PI + (-1) * y * erfc y * exp (y ^ 2).
Proof.
  intros Y. split. exact PI_RGT_0. pose proof (erfc_scaled_bound y Y) as H.
  replace (y ^ 2) with (y * y) by ring. unfold Rdiv in H. rewrite Rmult_1_l in H. nra.
Qed.
