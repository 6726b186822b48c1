(* The exact privacy curve of the Gaussian mechanism on the real line,
     delta(eps) = Phi(mu / 2 - eps / mu) - e^eps Phi(- mu / 2 - eps / mu)   with mu = sensitivity / s:
   the hockey-stick divergence of two normal densities of one variance, attained at a half line, increasing in mu; so
   the mechanism is (eps, delta)-DP exactly for delta at least this, and a half line refutes every smaller delta. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
Open Scope R_scope.

Definition gaussian_delta (eps mu : R) : R :=
  normal_cdf (mu / 2 - eps / mu) - exp eps * normal_cdf (- mu / 2 - eps / mu).
(* where the privacy loss of N(mu, s^2) against N(nu, s^2) is eps *)
Definition loss_edge (eps mu nu s : R) : R := (mu + nu) / 2 + eps * (s * s) / (mu - nu).

(* ---------- the event ---------- *)
Lemma normal_loss eps mu nu s x : 0 < s ->
  exp eps * normal nu s x < normal mu s x <-> eps * (2 * (s * s)) < (mu - nu) * (2 * x - mu - nu).
Proof.
  intros S. pose proof (normal_positive nu s x S) as N. pose proof (normal_ratio mu nu s x S) as E.
  assert (R : normal mu s x = exp ((mu - nu) * (2 * x - mu - nu) / (2 * (s * s))) * normal nu s x).
  { rewrite <- E. field. lra. }
  rewrite R. set (l := (mu - nu) * (2 * x - mu - nu)). assert (Q : 0 < 2 * (s * s)) by nra.
  assert (L : eps * (2 * (s * s)) < l <-> eps < l / (2 * (s * s))).
  { split; intros h. apply (Rmult_lt_reg_r (2 * (s * s))); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    apply (Rmult_lt_compat_r (2 * (s * s))) in h; auto. unfold Rdiv in h. rewrite Rmult_assoc, Rinv_l in h; lra. }
  rewrite L. split; intros h. apply exp_lt_inv. now apply (Rmult_lt_reg_r (normal nu s x)).
  apply Rmult_lt_compat_r; auto. now apply exp_increasing.
Qed.
Lemma edge_scaled eps mu nu s x : mu <> nu ->
  (mu - nu) * (2 * x - mu - nu) - eps * (2 * (s * s)) = 2 * (mu - nu) * (x - loss_edge eps mu nu s).
Proof. intros N. unfold loss_edge. field. lra. Qed.
Lemma normal_loss_beyond eps mu nu s x : 0 < s -> nu < mu ->
  loss_above eps (normal mu s) (normal nu s) x = beyond (loss_edge eps mu nu s) x.
Proof.
  intros S M. unfold loss_above, beyond. pose proof (normal_loss eps mu nu s x S) as L.
  pose proof (edge_scaled eps mu nu s x ltac:(lra)) as E.
  destruct (Rlt_dec _ _) as [h | h]; destruct (Rlt_dec _ _) as [k | k]; auto; exfalso.
  apply L in h. nra. apply h, L. nra.
Qed.
Lemma normal_loss_before eps mu nu s x : 0 < s -> mu < nu ->
  loss_above eps (normal mu s) (normal nu s) x = before (loss_edge eps mu nu s) x.
Proof.
  intros S M. unfold loss_above, before. pose proof (normal_loss eps mu nu s x S) as L.
  pose proof (edge_scaled eps mu nu s x ltac:(lra)) as E.
  destruct (Rlt_dec _ _) as [h | h]; destruct (Rlt_dec _ _) as [k | k]; auto; exfalso.
  apply L in h. nra. apply h, L. nra.
Qed.
Lemma probability_event p S S' P : (forall x, S x = S' x) -> probability p S P -> probability p S' P.
Proof. intros E. apply integral_ext. intros x. unfold restricted. now rewrite E. Qed.

(* the probabilities of the event {loss > eps} *)
Theorem normal_loss_probability eps mu nu s : 0 < s -> mu <> nu ->
  probability (normal mu s) (loss_above eps (normal mu s) (normal nu s))
    (normal_cdf (Rabs (mu - nu) / s / 2 - eps / (Rabs (mu - nu) / s))) /\
  probability (normal nu s) (loss_above eps (normal mu s) (normal nu s))
    (normal_cdf (- (Rabs (mu - nu) / s) / 2 - eps / (Rabs (mu - nu) / s))).
Proof.
  intros S N. destruct (Rlt_dec nu mu) as [h | h].
  - rewrite Rabs_pos_eq by lra. set (t := loss_edge eps mu nu s).
    replace ((mu - nu) / s / 2 - eps / ((mu - nu) / s)) with ((mu - t) / s) by (unfold t, loss_edge; field; lra).
    replace (- ((mu - nu) / s) / 2 - eps / ((mu - nu) / s)) with ((nu - t) / s) by (unfold t, loss_edge; field; lra).
    split; apply (probability_event _ (beyond t)); try (now apply normal_beyond);
      intros x; symmetry; now apply normal_loss_beyond.
  - rewrite Rabs_left by lra. set (t := loss_edge eps mu nu s).
    replace (- (mu - nu) / s / 2 - eps / (- (mu - nu) / s)) with ((t - mu) / s) by (unfold t, loss_edge; field; lra).
    replace (- (- (mu - nu) / s) / 2 - eps / (- (mu - nu) / s)) with ((t - nu) / s)
      by (unfold t, loss_edge; field; lra).
    split; apply (probability_event _ (before t)); try (now apply normal_before);
      intros x; symmetry; apply normal_loss_before; lra.
Qed.

(* ---------- the curve ---------- *)
Theorem normal_hockey eps mu nu s : 0 < s -> mu <> nu ->
  line_hockey eps (normal mu s) (normal nu s) (gaussian_delta eps (Rabs (mu - nu) / s)).
Proof.
  intros S N. destruct (normal_loss_probability eps mu nu s S N) as [P Q]. now apply hockey_attained.
Qed.
Theorem normal_close_iff eps del mu nu s : 0 < s -> mu <> nu ->
  line_close eps del (normal mu s) (normal nu s) <-> gaussian_delta eps (Rabs (mu - nu) / s) <= del.
Proof.
  intros S N. destruct (normal_loss_probability eps mu nu s S N) as [P Q]. now apply hockey_decides.
Qed.
(* the refutation in its shortest form *)
Corollary normal_refuted eps del mu nu s : 0 < s -> mu <> nu ->
  del < gaussian_delta eps (Rabs (mu - nu) / s) -> ~ line_close eps del (normal mu s) (normal nu s).
Proof. intros S N L H. apply normal_close_iff in H; auto. lra. Qed.

(* ---------- the curve in mu ---------- *)
Lemma is_derive_normal_cdf x : is_derive normal_cdf x (normal 0 1 x).
Proof.
  pose proof sqrt_2_pos. pose proof sqrt_PI_pos.
  assert (U : is_derive (fun y => - y / sqrt 2) x (- / sqrt 2)) by (auto_derive; [auto | field; lra]).
  pose proof (is_derive_comp erfc (fun y => - y / sqrt 2) x _ _ (is_derive_erfc _) U) as A.
  pose proof (is_derive_scal _ x (/ 2) _ A) as B. cbv beta in B.
  apply (is_derive_ext (fun y => / 2 * erfc (- y / sqrt 2))). intros y. unfold normal_cdf. simpl. lra.
  match type of B with is_derive _ _ ?v => replace (normal 0 1 x) with v end. exact B.
  unfold scal; simpl; unfold mult; simpl. unfold normal. rewrite sqrt_2PI.
  replace (- x / sqrt 2 * (- x / sqrt 2)) with (x * x / (sqrt 2 * sqrt 2)) by (field; lra).
  rewrite sqrt_2_square. replace ((x - 0) * (x - 0) / (2 * (1 * 1))) with (x * x / 2) by field. field. lra.
Qed.
Lemma normal_shift_tilt eps mu : mu <> 0 ->
  exp eps * normal 0 1 (- mu / 2 - eps / mu) = normal 0 1 (mu / 2 - eps / mu).
Proof.
  intros M. unfold normal, Rdiv. rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. field. auto.
Qed.
Lemma is_derive_gaussian_delta eps mu : 0 < mu ->
  is_derive (gaussian_delta eps) mu (normal 0 1 (mu / 2 - eps / mu)).
Proof.
  intros M. pose proof (is_derive_normal_cdf (mu / 2 - eps / mu)) as D.
  pose proof (is_derive_normal_cdf (- mu / 2 - eps / mu)) as D'.
  assert (U : is_derive (fun m => m / 2 - eps / m) mu (1 / 2 + eps / (mu * mu))) by (auto_derive; [lra | field; lra]).
  assert (U' : is_derive (fun m => - m / 2 - eps / m) mu (- (1 / 2) + eps / (mu * mu)))
    by (auto_derive; [lra | field; lra]).
  pose proof (is_derive_comp normal_cdf (fun m => m / 2 - eps / m) mu _ _ D U) as A.
  pose proof (is_derive_comp normal_cdf (fun m => - m / 2 - eps / m) mu _ _ D' U') as B.
  pose proof (is_derive_minus _ _ mu _ _ A (is_derive_scal _ mu (exp eps) _ B)) as E. cbv beta in E.
  match type of E with is_derive _ _ ?v => replace (normal 0 1 (mu / 2 - eps / mu)) with v end. exact E.
  unfold minus, plus, opp, scal; simpl; unfold mult; simpl. pose proof (normal_shift_tilt eps mu ltac:(lra)) as T.
  rewrite <- T. field. lra.
Qed.
Theorem gaussian_delta_increasing eps mu nu : 0 < mu -> mu <= nu -> gaussian_delta eps mu <= gaussian_delta eps nu.
Proof.
  intros M [h | ->]. 2: lra.
  destruct (MVT_gen (gaussian_delta eps) mu nu (fun m => normal 0 1 (m / 2 - eps / m))) as (c & _ & E).
  - intros y. rewrite Rmin_left by lra. intros Y. apply is_derive_gaussian_delta. lra.
  - intros y. rewrite Rmin_left by lra. intros Y. apply continuity_pt_filterlim.
    apply (ex_derive_continuous (gaussian_delta eps)). eexists. apply is_derive_gaussian_delta. lra.
  - pose proof (normal_positive 0 1 (c / 2 - eps / c) ltac:(lra)). nra.
Qed.
(* delta is at least that of two data sets with one answer *)
Lemma gaussian_delta_floor eps mu : 0 < mu -> Rmax 0 (1 - exp eps) <= gaussian_delta eps mu.
Proof.
  intros M. pose proof (normal_hockey eps mu 0 1 ltac:(lra) ltac:(lra)) as H.
  replace (Rabs (mu - 0) / 1) with mu in H by (rewrite Rabs_pos_eq; lra).
  apply Rmax_lub.
  - exact (integral_pos _ _ (fun x => Rmax_l _ _) H).
  - refine (integral_le (fun x => normal mu 1 x - exp eps * normal 0 1 x) _ _ _ (fun x => Rmax_r _ _) _ H).
    pose proof (integral_scal _ (exp eps) 1 (normal_integral 0 1 ltac:(lra))) as K. rewrite Rmult_1_r in K.
    exact (integral_minus _ _ 1 (exp eps) (normal_integral mu 1 ltac:(lra)) K).
Qed.

(* ---------- the mechanism ---------- *)
Theorem gaussian_DP {D} (adj : D -> D -> Prop) f Delta s eps del : 0 < s -> 0 < Delta -> sensitivity adj f Delta ->
  gaussian_delta eps (Delta / s) <= del -> line_DP adj eps del (gaussian_mechanism f s).
Proof.
  intros S P L C d d' A. unfold gaussian_mechanism. specialize (L d d' A).
  assert (F : 0 < Delta / s) by (now apply Rdiv_lt_0_compat).
  destruct (Req_dec (f d) (f d')) as [-> | N].
  - pose proof (gaussian_delta_floor eps (Delta / s) F) as G.
    apply (close_of_bound eps del _ _ (fun x => Rmax 0 (1 - exp eps) * normal (f d') s x) (Rmax 0 (1 - exp eps) * 1)).
    + intros x. apply Rmult_le_pos. apply Rmax_l. left. now apply normal_positive.
    + intros x. pose proof (normal_positive (f d') s x S). pose proof (Rmax_r 0 (1 - exp eps)). nra.
    + now apply integral_scal, normal_integral.
    + lra.
  - apply normal_close_iff; auto. apply Rle_trans with (2 := C).
    assert (0 < Rabs (f d - f d')) by (apply Rabs_pos_lt; lra).
    apply gaussian_delta_increasing. now apply Rdiv_lt_0_compat.
    apply Rmult_le_compat_r; auto. left. now apply Rinv_0_lt_compat.
Qed.
Theorem gaussian_DP_iff {D} (adj : D -> D -> Prop) f Delta s eps del d d' : 0 < s -> 0 < Delta ->
  sensitivity adj f Delta -> adj d d' -> Rabs (f d - f d') = Delta ->
  line_DP adj eps del (gaussian_mechanism f s) <-> gaussian_delta eps (Delta / s) <= del.
Proof.
  intros S P L A E. split. 2: now apply gaussian_DP.
  intros H. specialize (H d d' A). rewrite <- E. apply normal_close_iff; auto.
  intros Z. rewrite Z, Rminus_eq_0, Rabs_R0 in E. lra.
Qed.
Corollary gaussian_DP_refuted {D} (adj : D -> D -> Prop) f s eps del d d' : 0 < s -> adj d d' -> f d <> f d' ->
  del < gaussian_delta eps (Rabs (f d - f d') / s) -> ~ line_DP adj eps del (gaussian_mechanism f s).
Proof. intros S A N L H. exact (normal_refuted eps del (f d) (f d') s S N L (H d d' A)). Qed.
