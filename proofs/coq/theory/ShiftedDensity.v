(** * Densities on vectors that are shifted: what a pointwise bound says of a mean

    Integrals are iterated, one coordinate after the other (Vectors.v).

    Proved here: the integral of a shifted density is one; where a function times a density is at most a constant times
    the shifted density, its mean is at most that constant, which is how smoothness bounds moments of noise. *)
From Coq Require Import Reals Lra List.
From Dpref Require Import Vectors.
Open Scope R_scope.

(** The density of what is moved by w: $\int p(v+w)\,dv=1$. *)
Theorem shifted_density n p w : vector_density n p -> length w = n -> vector_density n (fun v => p (shifted w v)).
Proof. intros [P I] L. split. intros v. apply P. now apply (iterated_shift n). Qed.
(** $p(v)f(v)\le C\,p(v+w)$ everywhere gives $\mathbb E f\le C$. *)
Theorem mean_by_shift n p f w C m : vector_density n p -> length w = n ->
  (forall v, length v = n -> p v * f v <= C * p (shifted w v)) -> iterated n (fun v => p v * f v) m -> m <= C.
Proof.
  intros D L H M. destruct (shifted_density n p w D L) as [_ I]. rewrite <- (Rmult_1_r C).
  apply (iterated_le n (fun v => p v * f v) (fun v => C * p (shifted w v))); auto. now apply iterated_scal.
Qed.
