(** * Bounded losses are concentrated

    The privacy loss is X = ln(p / q).  Proved here: Hoeffding's lemma;
      the mean loss of what is purely private (Kairouz,
    Oh and Viswanath 2015); pure differential privacy and bounded range as zCDP, with eps^2/2 and eps^2/8 (Bun and
    Steinke 2016, Proposition 1.4; Cesar and Rogers 2021); losses with a mean and a variance, of which zCDP is a case,
    their adaptive composition, and what they say of (eps, delta). *)
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Conversion.

(** ** Hoeffding's lemma *)

Definition mean {O} (l : list O) (p X : O -> R) := sum_over l (fun o => p o * X o).
Lemma mean_bounds {O} (l : list O) p X lo hi : distribution l p -> (forall o, In o l -> 0 < p o -> lo <= X o <= hi) ->
  lo <= mean l p X <= hi.
Proof.
  intros [P S] B. assert (K : forall c, sum_over l (fun o => p o * c) = c) by (intros; rewrite sum_scal_r, S; ring).
  split. rewrite <- (K lo). 2: rewrite <- (K hi). all: apply sum_le; intros o I; destruct (P o) as [H | <-]; [ | lra];
  destruct (B o I H); apply Rmult_le_compat_l; lra.
Qed.
(** $E\,e^{sX}\le e^{s\,EX+s^2(hi-lo)^2/8}$ for $lo\le X\le hi$. *)
Theorem hoeffding_lemma {O} (l : list O) p X lo hi s : distribution l p -> lo < hi ->
  (forall o, In o l -> 0 < p o -> lo <= X o <= hi) ->
  sum_over l (fun o => p o * exp (s * X o)) <= exp (s * mean l p X + s * s * ((hi - lo) * (hi - lo)) / 8).
Proof.
  intros D H B. pose proof (mean_bounds l p X lo hi D B) as M. destruct D as [P S]. set (m := mean l p X) in *.
  set (w := hi - lo). assert (W : 0 < w) by (unfold w; lra). set (t := (m - lo) / w).
  assert (Tw : t * w = m - lo) by (unfold t; field; lra). assert (T : 0 <= t <= 1) by (unfold w in *; split; nra).
  apply Rle_trans with (sum_over l (fun o => exp (s * lo) * (p o * ((hi - X o) / w)) + exp (s * hi) * (p o * ((X o -
    lo) / w)))).
  - apply sum_le. intros o I. destruct (P o) as [Q | <-]; [ | lra]. specialize (B o I Q).
    assert (L : 0 <= (X o - lo) / w <= 1).
    { assert (((X o - lo) / w) * w = X o - lo) by (field; lra). unfold w in *. split; nra. }
    pose proof (exp_convex ((X o - lo) / w) (s * lo) (s * hi) L) as C.
    replace ((1 - (X o - lo) / w) * (s * lo) + (X o - lo) / w * (s * hi)) with (s * X o) in C by (unfold w; field;
      lra).
    replace (exp (s * lo) * (p o * ((hi - X o) / w)) + exp (s * hi) * (p o * ((X o - lo) / w)))
      with (p o * ((1 - (X o - lo) / w) * exp (s * lo) + (X o - lo) / w * exp (s * hi))).
    apply Rmult_le_compat_l; lra. unfold w; field; lra.
  - rewrite sum_plus, !sum_scal.
    assert (E1 : sum_over l (fun o => p o * ((X o - lo) / w)) = t).
    { rewrite (sum_ext l _ (fun o => / w * (p o * X o) - lo / w * p o)) by (intros; field; lra).
      rewrite sum_minus, !sum_scal, S. fold (mean l p X). fold m. unfold t. field. lra. }
    assert (E2 : sum_over l (fun o => p o * ((hi - X o) / w)) = 1 - t).
    { rewrite (sum_ext l _ (fun o => p o - p o * ((X o - lo) / w))) by (intros; unfold w; field; lra).
      rewrite sum_minus, S, E1. reflexivity. }
    rewrite E1, E2. pose proof (two_point_hoeffding t (s * w) T) as L. apply exp_mono in L. unfold two_point in L.
    rewrite exp_ln in L by (now apply two_point_pos).
    apply Rle_trans with (exp (s * lo) * (1 - t + t * exp (s * w))).
    { right. replace (s * hi) with (s * lo + s * w) by (unfold w; ring). rewrite exp_plus. ring. }
    apply Rle_trans with (exp (s * lo) * exp (t * (s * w) + s * w * (s * w) / 8)).
    { apply Rmult_le_compat_l; auto. left; apply exp_pos. }
    rewrite <- exp_plus. right. f_equal. replace (t * (s * w)) with (s * (m - lo)) by (rewrite <- Tw; ring).
    unfold w. field.
Qed.

(** ** The mean loss *)

Definition kl {O} (l : list O) (p q : O -> R) := mean l p (fun o => ln (p o / q o)).
Definition pure {O} (l : list O) eps (p q : O -> R) := forall o, In o l ->
  p o <= exp eps * q o /\ q o <= exp eps * p o.
Lemma pure_supported {O} (l : list O) eps p q : (forall o, 0 <= q o) -> pure l eps p q -> supported l p q.
Proof. intros Q H o I X. destruct (H o I) as [U _]. destruct (Q o) as [Y | Y]; auto. rewrite <- Y in U. lra. Qed.
Lemma inverse_exp eps : exp (- eps) * exp eps = 1.
Proof. rewrite <- exp_plus, Rplus_opp_l. apply exp_0. Qed.
Lemma loss_bounds {O} (l : list O) eps p q o : (forall o, 0 <= q o) -> pure l eps p q -> In o l -> 0 < p o ->
  - eps <= ln (p o / q o) <= eps.
Proof.
  intros Q H I X. pose proof (pure_supported l eps p q Q H o I X) as Y. destruct (H o I) as [U V].
  rewrite ln_quotient by auto. split.
  - enough (ln (q o) <= eps + ln (p o)) by lra. rewrite <- (ln_exp eps), <- ln_mult by (auto; apply exp_pos).
    destruct V as [V | ->]; [left; apply ln_increasing; auto | lra].
  - enough (ln (p o) <= eps + ln (q o)) by lra. rewrite <- (ln_exp eps), <- ln_mult by (auto; apply exp_pos).
    destruct U as [U | ->]; [left; apply ln_increasing; auto | lra].
Qed.
(** $\mathrm{KL}(p\|q)\le\varepsilon\frac{e^\varepsilon-1}{e^\varepsilon+1}$ for what is $\varepsilon$-private: the
    value of randomised response. *)
Theorem expected_loss {O} (l : list O) eps p q : 0 < eps -> distribution l p -> distribution l q -> pure l eps p q ->
  kl l p q <= eps * (exp eps - 1) / (exp eps + 1).
Proof.
  intros E [P Sp] [Q Sq] H. pose proof (inverse_exp eps) as I1. pose proof (exp_pos eps).
  pose proof (exp_pos (- eps)).
  pose proof (exp_increasing 0 eps E) as E1. rewrite exp_0 in E1. set (A := exp (- eps)) in *.
  set (B := exp eps) in *.
  assert (A < 1) by nra. set (w := B - A). assert (W : 0 < w) by (unfold w; lra).
  (* the chord of x ln x from A to B, at x = p / q, times q *)
  apply Rle_trans with (sum_over l (fun o => (- eps * A) * ((B * q o - p o) / w) + (eps * B) * ((p o - A * q o) /
    w))).
  - apply sum_le. intros o I. destruct (P o) as [X | X].
    + pose proof (pure_supported l eps p q Q H o I X) as Y. destruct (H o I) as [U V]. fold B in U, V.
      set (t := (p o / q o - A) / w).
      assert (Tw : t * w * q o = p o - A * q o) by (unfold t; field; lra).
      assert (T : 0 <= t <= 1).
      { assert (A * q o <= p o) by (apply (Rmult_le_compat_l A) in V; nra). assert (0 < w * q o) by nra.
        split. apply (Rmult_le_reg_r (w * q o)); nra. apply (Rmult_le_reg_r (w * q o)); unfold w in *; nra. }
      pose proof (entropy_chord t A B T ltac:(auto) ltac:(auto)) as C. simpl in C.
      replace ((1 - t) * A + t * B) with (p o / q o) in C by (unfold t, w; field; unfold w in W; lra).
      assert (LA : ln A = - eps) by (unfold A; apply ln_exp). assert (LB : ln B = eps) by (unfold B; apply ln_exp).
      rewrite LA, LB in C. apply (Rmult_le_compat_l (q o)) in C; [ | lra].
      replace (q o * (p o / q o * ln (p o / q o))) with (p o * ln (p o / q o)) in C by (field; lra).
      eapply Rle_trans. apply C. right. replace ((p o - A * q o) / w) with (t * q o) by (rewrite <- Tw; field; lra).
      replace ((B * q o - p o) / w) with (q o - t * q o).
      2: { replace (B * q o - p o) with (w * q o - t * w * q o) by (rewrite Tw; unfold w; ring). field. lra. } ring.
    + rewrite <- X, Rmult_0_l. destruct (H o I) as [_ V]. rewrite <- X in V. assert (q o = 0) as ->
        by (pose proof (Q o); lra).
      right. field. lra.
  - right. rewrite (sum_ext l _ (fun o => ((- eps * A) * B / w - eps * B * A / w) * q o + (eps * A / w + eps * B / w)
      * p o)).
    2: intros; field; lra. rewrite sum_plus, !sum_scal, Sp, Sq.
    assert (WB : w * B = (B - 1) * (B + 1)) by (unfold w; nra). assert (B + 1 <> 0) by lra. assert (B <> 0) by lra.
    assert (w <> 0) by lra.
    apply (Rmult_eq_reg_r (w * B * (B + 1))). 2: repeat apply Rmult_integral_contrapositive_currified; auto.
    transitivity (eps * (B + 1) * ((A * B + B * B) - 2 * (A * B) * B)). field; auto.
    rewrite I1. transitivity (eps * (B - 1) * (w * B)). rewrite WB. ring. field; auto.
Qed.

Lemma mean_loss_tanh eps : eps * (exp eps - 1) / (exp eps + 1) = eps * tanh (1 / 2 * eps).
Proof.
  unfold tanh, sinh, cosh. set (x := 1 / 2 * eps). replace eps with (x + x) by (unfold x; field).
  rewrite exp_Ropp, exp_plus. pose proof (exp_pos x). field. split; nra.
Qed.

(** ** Losses with a mean and a variance *)

(** ln E_p e^(s X) <= s m + s^2 v / 2 for every s > 0. *)
Definition concentrated {O} (l : list O) m v (p q : O -> R) := forall s, 0 < s -> renyi l (1 + s) (m + s / 2 * v) p q.
(** What is $\varepsilon$-private has a loss of mean at most $\varepsilon\frac{e^\varepsilon-1}{e^\varepsilon+1}$ and
    of variance at most $\varepsilon^2$. *)
Theorem pure_concentrated {O} (l : list O) eps p q : 0 < eps -> distribution l p -> distribution l q ->
  pure l eps p q ->
  concentrated l (eps * (exp eps - 1) / (exp eps + 1)) (eps * eps) p q.
Proof.
  intros E Dp Dq H s S0. split. apply (pure_supported l eps); auto. apply Dq. unfold moment.
  replace (1 + s - 1) with s by ring.
  pose proof (hoeffding_lemma l p (fun o => ln (p o / q o)) (- eps) eps s Dp ltac:(lra)) as L.
  eapply Rle_trans. eapply Rle_trans; [ | apply L]. right; apply sum_ext; reflexivity.
  intros o I X. apply (loss_bounds l); auto. apply Dq. fold (kl l p q).
  apply exp_mono. pose proof (expected_loss l eps p q E Dp Dq H). nra.
Qed.
(** zCDP is the case m = rho, v = 2 rho. *)
Lemma zcdp_concentrated {O} (l : list O) rho p q :
  (forall a, 1 < a -> renyi l a (rho * a) p q) <-> concentrated l rho (2 * rho) p q.
Proof.
  split. intros H s S. replace (rho + s / 2 * (2 * rho)) with (rho * (1 + s)) by field. apply H. lra.
  intros H a A. specialize (H (a - 1) ltac:(lra)). replace (1 + (a - 1)) with a in H by ring.
  replace (rho + (a - 1) / 2 * (2 * rho)) with (rho * a) in H by field. exact H.
Qed.
Lemma concentrated_weaken {O} (l : list O) m m' v v' p q : m <= m' -> v <= v' -> concentrated l m v p q ->
  concentrated l m' v' p q.
Proof. intros M V H s S. apply renyi_weaken with (m + s / 2 * v); auto; nra. Qed.
(** With t above the mean: $\delta=e^{-t^2/(2v)}\,/\,(1+t/v)$. *)
Theorem concentrated_to_dp {O} (l : list O) m v t p q : 0 < v -> 0 < t -> (forall o, 0 <= p o) ->
  (forall o, 0 <= q o) ->
  concentrated l m v p q -> close l (m + t) (exp (- (t * t) / (2 * v)) * / (1 + t / v)) p q.
Proof.
  intros V T P Q H. set (s := t / v). assert (S : 0 < s) by (apply Rdiv_lt_0_compat; auto).
  destruct (conversion_factor_bounds (1 + s) ltac:(lra)) as [_ F].
  apply close_weaken with (m + t) (exp ((1 + s - 1) * (m + s / 2 * v - (m + t))) * conversion_factor (1 + s)); auto.
  lra.
  - replace ((1 + s - 1) * (m + s / 2 * v - (m + t))) with (- (t * t) / (2 * v)) by (unfold s; field; lra).
    apply Rmult_le_compat_l; auto. left; apply exp_pos.
  - apply renyi_to_dp_optimised; auto. lra.
Qed.

(** ** Bounded range *)

(** All ratios lie in an interval whose ends are exp(eps) apart. *)
Definition bounded_range {O} (l : list O) eps (p q : O -> R) :=
  exists t, forall o, In o l -> exp t * q o <= p o <= exp (t + eps) * q o.
(** $\varepsilon$-bounded range is $\frac{\varepsilon^2}8$-zCDP. *)
Theorem bounded_range_zcdp {O} (l : list O) eps p q : 0 < eps -> distribution l p -> distribution l q ->
  bounded_range l eps p q -> forall a, 1 < a -> renyi l a (eps * eps / 8 * a) p q.
Proof.
  intros E [P Sp] [Q Sq] [t B] a A0. set (A := exp t) in *. set (C := exp (t + eps)) in *.
  assert (PA : 0 < A) by apply exp_pos. assert (AC : C = A * exp eps) by (unfold A, C; apply exp_plus).
  pose proof (exp_increasing 0 eps E) as E1. rewrite exp_0 in E1. set (w := C - A). assert (W : 0 < w) by (unfold w;
    nra).
  assert (S : supported l p q). { intros o I X. destruct (B o I) as [_ U]. destruct (Q o) as [Y | Y]; auto.
  rewrite <- Y in U. lra. }
  assert (A1 : A <= 1). { rewrite <- Sp. replace A with (A * sum_over l q) by (rewrite Sq; ring).
  rewrite <- sum_scal. apply sum_le. intros o I. apply (B o I). }
  assert (C1 : 1 <= C). { rewrite <- Sp at 1. replace C with (C * sum_over l q) by (rewrite Sq; ring).
  rewrite <- sum_scal. apply sum_le. intros o I. apply (B o I). }
  set (u := (1 - A) / w). assert (Uw : u * w = 1 - A) by (unfold u; field; lra).
  assert (U : 0 <= u <= 1) by (unfold w in *; split; nra).
  split; auto. apply Rle_trans with (sum_over l (fun o => Rpower A a * ((C * q o - p o) / w) + Rpower C a * ((p o - A
    * q o) / w))).
  - apply sum_le. intros o I. destruct (B o I) as [B1 B2]. destruct (P o) as [X | X].
    + pose proof (S o I X) as Y. set (x := (p o / q o - A) / w).
      assert (Xw : x * w * q o = p o - A * q o) by (unfold x; field; lra). assert (0 < w * q o) by nra.
      assert (Hx : 0 <= x <= 1).
      { split. apply (Rmult_le_reg_r (w * q o)); nra. apply (Rmult_le_reg_r (w * q o)); unfold w in *; nra. }
      pose proof (Rpower_chord a x A C ltac:(lra) Hx PA ltac:(lra)) as K.
      replace ((1 - x) * A + x * C) with (p o / q o) in K by (unfold x, w; field; unfold w in W; lra).
      apply (Rmult_le_compat_l (q o)) in K; [ | lra]. replace a with (1 + (a - 1)) in K at 1 by ring.
      rewrite Rpower_plus, Rpower_1 in K by (apply Rdiv_lt_0_compat; auto).
      replace (q o * (p o / q o * Rpower (p o / q o) (a - 1))) with (p o * Rpower (p o / q o) (a - 1)) in K by
        (field; lra).
      eapply Rle_trans. apply K. right. replace ((p o - A * q o) / w) with (x * q o) by (rewrite <- Xw; field; lra).
      replace ((C * q o - p o) / w) with (q o - x * q o).
      2: { replace (C * q o - p o) with (w * q o - x * w * q o) by (rewrite Xw; unfold w; ring). field. lra. } ring.
    + rewrite <- X, Rmult_0_l. rewrite <- X in B1. assert (q o = 0) as -> by (pose proof (Q o); nra). right. field.
      lra.
  - rewrite (sum_ext l _ (fun o => (Rpower A a * C / w - Rpower C a * A / w) * q o + (Rpower C a / w - Rpower A a /
      w) * p o)).
    2: intros; field; lra. rewrite sum_plus, !sum_scal, Sp, Sq.
    replace ((Rpower A a * C / w - Rpower C a * A / w) * 1 + (Rpower C a / w - Rpower A a / w) * 1)
      with ((1 - u) * Rpower A a + u * Rpower C a) by (unfold u, w; field; unfold w in W; lra).
    unfold Rpower. unfold A at 1, C at 1. rewrite !ln_exp.
    assert (Z : t + two_point u eps = 0).
    { unfold two_point. rewrite <- (ln_exp t) at 1. fold A. rewrite <- ln_mult by (auto; now apply two_point_pos).
      rewrite <- ln_1. f_equal. replace (A * (1 - u + u * exp eps)) with (A + u * w) by (unfold w; rewrite AC; ring).
      rewrite Uw. ring. }
    apply Rle_trans with (exp (a * t + two_point u (a * eps))).
    { right. unfold two_point. rewrite exp_plus, exp_ln by (now apply two_point_pos).
      replace (a * (t + eps)) with (a * t + a * eps) by ring. rewrite exp_plus. ring. }
    apply exp_mono. pose proof (two_point_power u a eps U ltac:(lra) ltac:(lra)).
    replace (a * t + two_point u (a * eps)) with (a * (t + two_point u eps) + (two_point u (a * eps) - a * two_point
      u eps)) by ring.
    rewrite Z. lra.
Qed.
(** $\varepsilon$-DP is $\frac{\varepsilon^2}2$-zCDP. *)
Theorem pure_zcdp {O} (l : list O) eps p q : 0 < eps -> distribution l p -> distribution l q -> pure l eps p q ->
  forall a, 1 < a -> renyi l a (eps * eps / 2 * a) p q.
Proof.
  intros E P Q H a A. replace (eps * eps / 2) with (2 * eps * (2 * eps) / 8) by field.
  apply bounded_range_zcdp; auto. lra. exists (- eps). intros o I. destruct (H o I) as [U V].
  replace (- eps + 2 * eps) with eps by ring. split; auto. pose proof (exp_pos (- eps)).
  apply (Rmult_le_compat_l (exp (- eps))) in V; [ | lra]. now rewrite <- Rmult_assoc, inverse_exp, Rmult_1_l in V.
Qed.
