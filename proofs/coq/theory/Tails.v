(* How far the noise goes, and what tests can see.  Two-sided tails of the Laplace and the normal distribution, with
   the exponential bounds that accuracy statements use; the Neyman-Pearson lemma, and the most powerful tests of two
   normal distributions. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve GaussianAverage Laplace.
Open Scope R_scope.

(* ---------- tails ---------- *)
Definition farther (t mu x : R) : bool := if Rlt_dec t (Rabs (x - mu)) then true else false.
Lemma probability_farther p t mu P Q : 0 <= t -> probability p (before (mu - t)) P ->
  probability p (beyond (mu + t)) Q ->
  probability p (farther t mu) (P + Q).
Proof.
  intros T HP HQ. pose proof (integral_plus _ _ _ _ HP HQ) as H. revert H. apply integral_ext. intros x.
  unfold restricted, before, beyond, farther, Rabs.
  destruct (Rcase_abs (x - mu)), (Rlt_dec x (mu - t)), (Rlt_dec (mu + t) x), (Rlt_dec t _); lra.
Qed.
Theorem laplace_tail mu b t : 0 < b -> 0 <= t -> probability (laplace mu b) (farther t mu) (exp (- (t / b))).
Proof.
  intros B T. replace (exp (- (t / b))) with (exp (- (t / b)) / 2 + exp (- (t / b)) / 2) by field.
  apply probability_farther; auto.
  - apply probability_before. pose proof (laplace_below mu b (mu - t) B ltac:(lra)) as H.
    replace ((mu - t - mu) / b) with (- (t / b)) in H by (field; lra). exact H.
  - apply probability_beyond. pose proof (laplace_above mu b (mu + t) B ltac:(lra)) as H.
    replace (- ((mu + t - mu) / b)) with (- (t / b)) in H by (field; lra). exact H.
Qed.
(* with probability 1 - beta, Laplace noise is at most b ln(1 / beta) *)
Corollary laplace_quantile mu b beta : 0 < b -> 0 < beta <= 1 ->
  probability (laplace mu b) (farther (b * ln (1 / beta)) mu) beta.
Proof.
  intros B Be. assert (L : 0 <= ln (1 / beta)).
  { rewrite <- ln_1. destruct (proj2 Be) as [h | ->]. 2: right; f_equal; field.
    left. apply ln_increasing. lra. apply (Rmult_lt_reg_r beta). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  replace beta with (exp (- (b * ln (1 / beta) / b))) at 2. apply laplace_tail; auto. nra.
  replace (- (b * ln (1 / beta) / b)) with (- ln (1 / beta)) by (field; lra).
  rewrite exp_Ropp, exp_ln. field. lra. apply Rdiv_lt_0_compat; lra.
Qed.
Theorem normal_tail mu s t : 0 < s -> 0 <= t -> probability (normal mu s) (farther t mu) (erfc (t / (s * sqrt 2))).
Proof.
  intros S T. pose proof sqrt_2_pos as Q.
  assert (H : normal_cdf (- t / s) = erfc (t / (s * sqrt 2)) / 2).
  { unfold normal_cdf. do 2 f_equal. field. lra. }
  replace (erfc (t / (s * sqrt 2))) with (normal_cdf (- t / s) + normal_cdf (- t / s)) by lra.
  apply probability_farther; auto.
  - replace (- t / s) with ((mu - t - mu) / s) by (field; lra). now apply normal_before.
  - replace (- t / s) with ((mu - (mu + t)) / s) by (field; lra). now apply normal_beyond.
Qed.
Corollary normal_tail_bound mu s t P : 0 < s -> 0 <= t ->
  probability (normal mu s) (farther t mu) P -> P <= exp (- (t * t / (2 * (s * s)))).
Proof.
  intros S T H. rewrite (probability_unique _ _ _ _ H (normal_tail mu s t S T)). pose proof sqrt_2_pos as Q.
  replace (t * t / (2 * (s * s))) with (t / (s * sqrt 2) * (t / (s * sqrt 2))).
  apply erfc_le_exp. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. nra.
  replace (t / (s * sqrt 2) * (t / (s * sqrt 2))) with (t * t / (sqrt 2 * sqrt 2 * (s * s))) by (field; lra).
  now rewrite sqrt_2_square.
Qed.

(* ---------- tests ---------- *)
(* a randomised test rejects at x with probability g x *)
Definition is_test (g : R -> R) : Prop := forall x, 0 <= g x <= 1.
Definition rejects (p g : R -> R) (P : R) : Prop := integral (fun x => g x * p x) P.
Lemma test_gain eps p q g P Q h : is_test g -> rejects p g P -> rejects q g Q -> line_hockey eps p q h ->
  P - exp eps * Q <= h.
Proof.
  intros G HP HQ H. refine (integral_le _ _ _ _ _ (integral_minus _ _ _ _ HP (integral_scal _ (exp eps) _ HQ)) H).
  intros x. specialize (G x). pose proof (Rmax_l 0 (p x - exp eps * q x)). pose proof (Rmax_r 0 (p x - exp eps * q x)).
  replace (g x * p x - exp eps * (g x * q x)) with (g x * (p x - exp eps * q x)) by ring. nra.
Qed.
(* (epsilon, delta) bounds randomised tests as it bounds events *)
Theorem close_bounds_tests eps del p q g P Q P' Q' : probability p (loss_above eps p q) P' ->
  probability q (loss_above eps p q) Q' -> line_close eps del p q ->
  is_test g -> rejects p g P -> rejects q g Q -> P <= exp eps * Q + del.
Proof.
  intros HP' HQ' C G HP HQ. pose proof (test_gain _ _ _ _ _ _ _ G HP HQ (hockey_attained eps p q P' Q' HP' HQ')).
  specialize (C _ _ _ HP' HQ'). lra.
Qed.
(* Neyman and Pearson: no test of at most the size of {loss > eps} has more power *)
Theorem neyman_pearson eps p q g P Q P' Q' : probability p (loss_above eps p q) P' ->
  probability q (loss_above eps p q) Q' -> is_test g -> rejects p g P -> rejects q g Q -> Q <= Q' -> P <= P'.
Proof.
  intros HP' HQ' G HP HQ L.
  pose proof (test_gain _ _ _ _ _ _ _ G HP HQ (hockey_attained eps p q P' Q' HP' HQ')) as T.
  pose proof (exp_pos eps). nra.
Qed.
(* the most powerful tests of N(0, 1) against N(mu, 1) are half lines *)
Theorem normal_most_powerful mu z g P Q : 0 < mu -> is_test g -> rejects (normal mu 1) g P ->
  rejects (normal 0 1) g Q ->
  Q <= normal_cdf (- z) -> P <= normal_cdf (mu - z).
Proof.
  intros M G HP HQ L. set (eps := mu * z - mu * mu / 2).
  destruct (normal_loss_probability eps mu 0 1 ltac:(lra) ltac:(lra)) as [A B].
  replace (Rabs (mu - 0) / 1) with mu in A, B by (rewrite Rabs_pos_eq; lra).
  replace (mu / 2 - eps / mu) with (mu - z) in A by (unfold eps; field; lra).
  replace (- mu / 2 - eps / mu) with (- z) in B by (unfold eps; field; lra).
  exact (neyman_pearson eps _ _ g P Q _ _ A B G HP HQ L).
Qed.
(* from the curve to the trade-off of the errors: an event of size at most Phi(-z) has power at most Phi(mu - z) *)
Theorem gaussian_curve_tradeoff mu z p q S P Q : 0 < mu -> (forall eps, line_close eps (gaussian_delta eps mu) p q) ->
  probability p S P -> probability q S Q -> Q <= normal_cdf (- z) -> P <= normal_cdf (mu - z).
Proof.
  intros M C HP HQ L. pose proof (C (mu * z - mu * mu / 2) S P Q HP HQ) as H. unfold gaussian_delta in H.
  replace (mu / 2 - (mu * z - mu * mu / 2) / mu) with (mu - z) in H by (field; lra).
  replace (- mu / 2 - (mu * z - mu * mu / 2) / mu) with (- z) in H by (field; lra).
  pose proof (exp_pos (mu * z - mu * mu / 2)). nra.
Qed.
