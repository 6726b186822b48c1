(* What the certificates about Gaussian noise assume, as corollaries in their own formulas: noise of standard deviation
   one, an answer that moves by mu.  Each names the obligation and the assumption that it replaces. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve Vectors GaussianVector GaussianVectorCurve.
From Dpref Require Import GaussianComposition Tails.
Import ListNotations.
Open Scope R_scope.

(* gaussian/renyi, "a normal density integrates to one": divergences.gaussian_renyi, and any number of coordinates *)
Corollary renyi_of_unit_noise a mu : line_renyi a (normal mu 1) (normal 0 1) (a * mu * mu / 2).
Proof.
  pose proof (normal_renyi a mu 0 1 ltac:(lra)) as H.
  replace (a * (mu - 0) ^ 2 / (2 * (1 * 1))) with (a * mu * mu / 2) in H by field. exact H.
Qed.
Corollary renyi_of_unit_noise_in_coordinates a mus nus : length nus = length mus ->
  vector_renyi (length mus) a (vector_normal mus 1) (vector_normal nus 1) (a * squared_distance mus nus / 2).
Proof.
  intros L. pose proof (vector_normal_renyi a 1 mus ltac:(lra) nus L) as H.
  replace (a * squared_distance mus nus / (2 * (1 * 1))) with (a * squared_distance mus nus / 2) in H by field. exact H.
Qed.
(* gaussian/zcdp: rho = mu^2 / 2, with equality at every order *)
Corollary zcdp_of_unit_noise a mu : line_renyi a (normal mu 1) (normal 0 1) (a * (mu * mu / 2)).
Proof. replace (a * (mu * mu / 2)) with (a * mu * mu / 2) by field. apply renyi_of_unit_noise. Qed.
(* gaussian/privacy-curve, "the hockey-stick divergence is attained where the privacy loss exceeds epsilon" *)
Corollary curve_of_unit_noise eps del mu : 0 < mu ->
  line_close eps del (normal mu 1) (normal 0 1) <-> gaussian_delta eps mu <= del.
Proof.
  intros M. rewrite (normal_close_iff eps del mu 0 1) by lra.
  now replace (Rabs (mu - 0) / 1) with mu by (rewrite Rabs_pos_eq; lra).
Qed.
Corollary curve_of_unit_noise_in_coordinates eps del mus nus :
  length nus = length mus -> 0 < squared_distance mus nus ->
  vector_close (length mus) eps del (vector_normal mus 1) (vector_normal nus 1)
  <-> gaussian_delta eps (sqrt (squared_distance mus nus)) <= del.
Proof.
  intros L N. rewrite (vector_normal_close_iff eps del 1 mus nus) by (auto; lra).
  now replace (sqrt (squared_distance mus nus) / 1) with (sqrt (squared_distance mus nus)) by field.
Qed.
(* gaussian/composition, "a second query may be chosen after the first answer": f2 and f2' may depend on it *)
Corollary curve_of_two_answers mu nu f1 f1' (f2 f2' : R -> R) eps : 0 < mu -> 0 <= nu -> Rabs (f1 - f1') <= mu ->
  (forall x, Rabs (f2 x - f2' x) <= nu) ->
  vector_close 2 eps (gaussian_delta eps (sqrt (mu * mu + nu * nu)))
    (adaptive (normal f1 1) (fun x v => normal (f2 x) 1 (hd 0 v)))
    (adaptive (normal f1' 1) (fun x v => normal (f2' x) 1 (hd 0 v))).
Proof.
  intros M N B1 B2. assert (T : 0 < sqrt (mu * mu + nu * nu)) by (apply sqrt_lt_R0; nra).
  rewrite <- (gaussian_profile_positive eps _ T).
  assert (N' : nu = sqrt (nu * nu + 0 * 0)).
  { replace (nu * nu + 0 * 0) with (nu * nu) by ring. now rewrite sqrt_square. }
  apply (gaussian_close_adaptive 1 f1 f1' 1 mu nu); auto. lra. now rewrite Rmult_1_r.
  intros x. pose proof (gaussian_close_adaptive 0 (f2 x) (f2' x) 1 nu 0 (fun _ _ => 1) (fun _ _ => 1)) as H.
  rewrite <- N' in H. intros e E P Q HP HQ.
  apply (H ltac:(lra) ltac:(now rewrite Rmult_1_r) ltac:(lra) (fun _ => gaussian_close_none _ eq_refl) e E).
  - revert HP. apply iterated_ext. intros v _. unfold vector_restricted, adaptive. destruct (E v); ring.
  - revert HQ. apply iterated_ext. intros v _. unfold vector_restricted, adaptive. destruct (E v); ring.
Qed.
(* "the most powerful tests of two normal laws are half-lines" is normal_most_powerful, "the tail of the Laplace
   distribution" is laplace_tail with laplace_quantile, "y exp(y^2) erfc(y) <= 1/sqrt(pi)" is erfc_scaled_bound. *)
