(* The Gaussian mechanism for vectors: independent normal noise in every coordinate.  The Renyi divergence is
   a |mu - nu|^2 / (2 s^2) exactly, hence the zCDP constant for a query of bounded Euclidean sensitivity. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian Vectors.
Import ListNotations.
Open Scope R_scope.

(* ---------- definitions ---------- *)
Definition vector_normal (mus : list R) (s : R) : list R -> R := independent (map (fun mu => normal mu s) mus).
Fixpoint squared_distance (u v : list R) : R :=
  match u, v with a :: u, b :: v => (a - b) ^ 2 + squared_distance u v | _, _ => 0 end.
Definition vector_gaussian_mechanism {D} (f : D -> list R) (s : R) (d : D) : list R -> R := vector_normal (f d) s.
Definition euclidean_sensitivity {D} (adj : D -> D -> Prop) (f : D -> list R) (Delta : R) : Prop :=
  forall d d', adj d d' -> sqrt (squared_distance (f d) (f d')) <= Delta.

(* ---------- the density ---------- *)
Lemma squared_distance_pos u : forall v, 0 <= squared_distance u v.
Proof.
  induction u as [ | a u IH]; intros [ | b v]; simpl; try lra. specialize (IH v). pose proof (pow2_ge_0 (a - b)) as P.
  simpl in P. lra.
Qed.
Lemma vector_normal_positive mus s v : 0 < s -> 0 < vector_normal mus s v.
Proof.
  intros S. apply independent_positive. induction mus; simpl; constructor; auto. intros x. now apply normal_positive.
Qed.
Theorem vector_normal_density mus s : 0 < s -> vector_density (length mus) (vector_normal mus s).
Proof.
  intros S. unfold vector_normal. rewrite <- (map_length (fun mu => normal mu s) mus). apply independent_density.
  induction mus; simpl; constructor; auto. now apply normal_density.
Qed.

(* ---------- Renyi divergence and zCDP ---------- *)
Theorem vector_normal_renyi a s mus : 0 < s -> forall nus, length nus = length mus ->
  vector_renyi (length mus) a (vector_normal mus s) (vector_normal nus s)
    (a * squared_distance mus nus / (2 * (s * s))).
Proof.
  intros S. induction mus as [ | mu mus IH]; intros [ | nu nus] L; try discriminate.
  - unfold vector_renyi, vector_moment, vector_normal. simpl.
    replace ((a - 1) * (a * 0 / (2 * (s * s)))) with 0 by (field; lra).
    replace (1 / 1) with 1 by field. unfold Rpower. rewrite ln_1, Rmult_0_r. ring.
  - simpl length. replace (a * squared_distance (mu :: mus) (nu :: nus) / (2 * (s * s)))
      with (a * (mu - nu) ^ 2 / (2 * (s * s)) + a * squared_distance mus nus / (2 * (s * s))).
    apply (renyi_adds (length mus) a (normal mu s) (normal nu s) (vector_normal mus s) (vector_normal nus s)).
    + intros x. now apply normal_positive.
    + intros x. now apply normal_positive.
    + intros v. now apply vector_normal_positive.
    + intros v. now apply vector_normal_positive.
    + now apply normal_renyi.
    + apply IH. now injection L.
    + simpl. field. lra.
Qed.
Lemma vector_renyi_unique n a p q r r' : a <> 1 -> vector_renyi n a p q r -> vector_renyi n a p q r' -> r = r'.
Proof.
  intros A H K. pose proof (iterated_unique _ _ _ _ H K) as E. apply exp_inv in E.
  apply (Rmult_eq_reg_l (a - 1)); auto. lra.
Qed.
Theorem vector_gaussian_zCDP {D} (adj : D -> D -> Prop) n f Delta s : 0 < s -> (forall d, length (f d) = n) ->
  euclidean_sensitivity adj f Delta -> vector_zCDP adj n (Delta ^ 2 / (2 * (s * s))) (vector_gaussian_mechanism f s).
Proof.
  intros S Ln L d d' a A a1. exists (a * squared_distance (f d) (f d') / (2 * (s * s))). split.
  rewrite <- (Ln d). apply vector_normal_renyi; auto. now rewrite !Ln.
  unfold Rdiv. rewrite !Rmult_assoc. apply Rmult_le_compat_l. lra. apply Rmult_le_compat_r.
  left. apply Rinv_0_lt_compat. nra. specialize (L d d' A).
  rewrite <- (sqrt_sqrt (squared_distance _ _)) by apply squared_distance_pos.
  pose proof (sqrt_pos (squared_distance (f d) (f d'))). simpl. nra.
Qed.
Theorem vector_gaussian_zCDP_least {D} (adj : D -> D -> Prop) n f Delta s rho d d' : 0 < s ->
  (forall d, length (f d) = n) -> adj d d' -> sqrt (squared_distance (f d) (f d')) = Delta ->
  vector_zCDP adj n rho (vector_gaussian_mechanism f s) -> Delta ^ 2 / (2 * (s * s)) <= rho.
Proof.
  intros S Ln A E Z. destruct (Z d d' 2 A ltac:(lra)) as (r & H & L). rewrite <- (Ln d) in H.
  pose proof (vector_renyi_unique _ 2 _ _ _ _ ltac:(lra) H
    (vector_normal_renyi 2 s (f d) S (f d') ltac:(now rewrite !Ln))) as R.
  rewrite <- E. simpl. rewrite Rmult_1_r, sqrt_sqrt by apply squared_distance_pos.
  rewrite R in L. unfold Rdiv in *. lra.
Qed.
