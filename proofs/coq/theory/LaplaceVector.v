(* The Laplace mechanism for vectors: independent Laplace noise of scale Delta / eps in every coordinate is (eps, 0)-DP
   for a query whose values differ by at most Delta in the l1 norm. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian Laplace Vectors.
Import ListNotations.
Open Scope R_scope.

Definition vector_laplace (mus : list R) (b : R) : list R -> R := independent (map (fun mu => laplace mu b) mus).
Fixpoint l1_distance (u v : list R) : R :=
  match u, v with a :: u, b :: v => Rabs (a - b) + l1_distance u v | _, _ => 0 end.
Definition vector_laplace_mechanism {D} (f : D -> list R) (b : R) (d : D) : list R -> R := vector_laplace (f d) b.
Definition l1_sensitivity {D} (adj : D -> D -> Prop) (f : D -> list R) (Delta : R) : Prop :=
  forall d d', adj d d' -> l1_distance (f d) (f d') <= Delta.

Lemma vector_laplace_positive mus b v : 0 < b -> 0 < vector_laplace mus b v.
Proof.
  intros B. apply independent_positive. induction mus; simpl; constructor; auto. intros x. now apply laplace_positive.
Qed.
Theorem vector_laplace_density mus b : 0 < b -> vector_density (length mus) (vector_laplace mus b).
Proof.
  intros B. unfold vector_laplace. rewrite <- (map_length (fun mu => laplace mu b) mus). apply independent_density.
  induction mus; simpl; constructor; auto. now apply laplace_density.
Qed.
Lemma vector_laplace_ratio b mus : 0 < b -> forall nus v, length nus = length mus ->
  vector_laplace mus b v <= exp (l1_distance mus nus / b) * vector_laplace nus b v.
Proof.
  intros B. induction mus as [ | mu mus IH]; intros [ | nu nus] v L; try discriminate; unfold vector_laplace; simpl.
  - replace (0 / b) with 0 by (field; lra). rewrite exp_0. lra.
  - injection L as L. specialize (IH nus (tl v) L).
    replace ((Rabs (mu - nu) + l1_distance mus nus) / b) with (Rabs (mu - nu) / b + l1_distance mus nus / b)
      by (field; lra).
    rewrite exp_plus. pose proof (laplace_ratio mu nu b (hd 0 v) B) as R.
    pose proof (laplace_positive mu b (hd 0 v) B) as P. pose proof (vector_laplace_positive mus b (tl v) B) as Q.
    unfold vector_laplace in *.
    match goal with |- _ <= ?x * ?y * (?z * ?w) => replace (x * y * (z * w)) with (x * z * (y * w)) by ring end.
    apply Rmult_le_compat; lra.
Qed.
Theorem vector_ratio_bounds_epsilon n eps p q : (forall v, length v = n -> p v <= exp eps * q v) ->
  vector_close n eps 0 p q.
Proof.
  intros B S P Q HP HQ. enough (P - exp eps * Q <= 0) by lra.
  assert (Z : forall m, iterated m (fun _ => 0) 0).
  { induction m as [ | m IH]. reflexivity. exists (fun _ => 0). split. intros _. exact IH. exact gen_zero. }
  refine (iterated_le n _ (fun _ => 0) _ _ _ (vector_gap n eps p q S P Q HP HQ) (Z n)).
  intros v L. unfold vector_restricted. specialize (B v L). destruct (S v); lra.
Qed.
Theorem vector_laplace_DP {D} (adj : D -> D -> Prop) n f Delta eps : 0 < Delta -> 0 < eps ->
  (forall d, length (f d) = n) -> l1_sensitivity adj f Delta ->
  vector_DP adj n eps 0 (vector_laplace_mechanism f (Delta / eps)).
Proof.
  intros P E Ln L d d' A. assert (B : 0 < Delta / eps) by now apply Rdiv_lt_0_compat.
  apply vector_ratio_bounds_epsilon. intros v _. eapply Rle_trans.
  apply (vector_laplace_ratio _ (f d) B (f d')). now rewrite !Ln.
  apply Rmult_le_compat_r. left. now apply vector_laplace_positive. apply exp_le.
  apply (Rmult_le_reg_r (Delta / eps)); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace (eps * (Delta / eps)) with Delta by (field; lra). now apply L.
Qed.
