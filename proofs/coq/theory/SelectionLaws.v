(** * The truncated negative binomial law, and what one run ties together

    The law of the number of runs with shape eta > -1, which is the logarithmic law at eta = 0 (Repetitions.v).  Proved
    here: it is a law, has its mean, and the derivative of its generating function is the mean times a power of gamma
    over a bracket, 1 - (1 - gamma) z; the brackets of two numbers that one run of two distributions ties together
    (Selection.v) are what the distributions give to one test above gamma, so that a bound between them, also one from a
    Renyi divergence by merging outcomes, is one between the slopes: the step from one run to the best of K in Theorem 2
    of Papernot and Steinke (2022). *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Sampling Replacement AmplifiedRenyi BestOf
  Selection Repetitions.
Open Scope R_scope.

(** ** The truncated negative binomial law, eta = 0 being the logarithmic one *)

Definition truncated eta gamma := if Req_EM_T eta 0 then logarithmic gamma else negative_binomial eta gamma.
Definition truncated_mean eta gamma := if Req_EM_T eta 0 then logarithmic_mean gamma else negative_binomial_mean eta
  gamma.
Definition truncated_generating eta gamma :=
  if Req_EM_T eta 0 then logarithmic_generating gamma else negative_binomial_generating eta gamma.

Section Truncated.
  Variables eta gamma : R.
  Hypothesis A : -1 < eta.
  Hypothesis Ga : 0 < gamma < 1.

  Theorem truncated_is_law : number_of_runs (truncated eta gamma).
  Proof. unfold truncated. destruct (Req_EM_T eta 0). now apply logarithmic_is_law. now apply negative_binomial_is_law.
    Qed.
  Theorem truncated_has_mean : has_mean (truncated eta gamma) (truncated_mean eta gamma).
  Proof.
    unfold truncated, truncated_mean. destruct (Req_EM_T eta 0). now apply logarithmic_has_mean.
    now apply negative_binomial_has_mean.
  Qed.
  Theorem truncated_generates : generates (truncated eta gamma) (truncated_generating eta gamma).
  Proof.
    unfold truncated, truncated_generating. destruct (Req_EM_T eta 0). now apply logarithmic_generates.
    now apply negative_binomial_generates.
  Qed.
  (** $f'(z)=\mathbb EK\,\bigl(\frac\gamma{1-(1-\gamma)z}\bigr)^{1+\eta}$ *)
  Definition slope z := truncated_mean eta gamma * (Rpower gamma (1 + eta) * Rpower (1 - (1 - gamma) * z) (- (1 +
    eta))).
  Lemma mean_pos : 0 < truncated_mean eta gamma.
  Proof.
    unfold truncated_mean. destruct (Req_EM_T eta 0) as [-> | N].
    - pose proof (ln_negative gamma Ga). unfold logarithmic_mean. apply Rdiv_lt_0_compat; [ | lra].
      apply Rlt_Rminus. unfold Rdiv. rewrite Rmult_1_l, <- Rinv_1 at 1. apply Rinv_lt_contravar; lra.
    - rewrite <- mean_at_one by auto. pose proof (shape_pos eta gamma N Ga). apply Rmult_lt_0_compat.
      apply Rmult_lt_0_compat; auto. lra. apply Rpower_pos.
  Qed.
  Lemma truncated_slope z : 0 <= z <= 1 -> is_derive (truncated_generating eta gamma) z (slope z).
  Proof.
    intros Z. assert (Y : 0 < 1 - (1 - gamma) * z) by nra.
    unfold truncated_generating, slope, truncated_mean. destruct (Req_EM_T eta 0) as [-> | N].
    - replace (logarithmic_mean gamma * (Rpower gamma (1 + 0) * Rpower (1 - (1 - gamma) * z) (- (1 + 0))))
        with (/ - ln gamma * (1 - gamma) * / (1 - (1 - gamma) * z)).
      now apply logarithmic_slope. rewrite Rpower_Ropp, Rplus_0_r, !Rpower_1 by lra. unfold logarithmic_mean.
      pose proof (ln_negative gamma Ga). field. repeat split; lra.
    - rewrite <- mean_at_one, <- Rmult_assoc by auto.
      replace (eta / (Rpower gamma (- eta) - 1) * (1 - gamma) * Rpower gamma (- (1 + eta)) * Rpower gamma (1 + eta))
        with (eta / (Rpower gamma (- eta) - 1) * (1 - gamma)).
      now apply negative_binomial_slope. rewrite (Rpower_Ropp gamma (1 + eta)). pose proof (Rpower_pos gamma (1 + eta)).
      pose proof (denominator eta gamma N Ga). field. lra.
  Qed.
  Lemma slope_positive z : 0 <= z <= 1 -> 0 < slope z.
  Proof. intros _. repeat apply Rmult_lt_0_compat; try apply Rpower_pos. apply mean_pos. Qed.
  Lemma slope_below z : 0 <= z <= 1 -> slope z <= truncated_mean eta gamma.
  Proof.
    intros Z. pose proof mean_pos. rewrite <- (Rmult_1_r (truncated_mean eta gamma)). apply Rmult_le_compat_l. lra.
    rewrite Rpower_Ropp. apply Rle_div_l. apply Rlt_gt, Rpower_pos. rewrite Rmult_1_l. apply Rle_Rpower_l. lra. nra.
  Qed.
  (** What is in the brackets is what the runs give to a test above gamma. *)
  Lemma brackets {O} (l : list O) p q x x' : distribution l p -> distribution l q -> tied l p q x x' ->
    exists h, (forall o, gamma <= h o <= 1) /\ 1 - (1 - gamma) * x = sum_over l (fun o => p o * h o)
      /\ 1 - (1 - gamma) * x' = sum_over l (fun o => q o * h o).
  Proof.
    intros [_ P] [_ Q] (g & T & -> & ->). exists (fun o => gamma + (1 - gamma) * g o).
    assert (E : forall s, sum_over l s = 1 -> 1 - (1 - gamma) * (1 - sum_over l (fun o => s o * g o))
      = sum_over l (fun o => s o * (gamma + (1 - gamma) * g o))).
    { intros s S. rewrite (sum_ext l (fun o => s o * (gamma + (1 - gamma) * g o))
        (fun o => gamma * s o + (1 - gamma) * (s o * g o))) by (intros; ring).
      rewrite sum_plus, !sum_scal, S. ring. }
    split; auto. intros o. specialize (T o). nra.
  Qed.
  (** The ratio of the brackets to the power 1 + eta is that of the slopes. *)
  Lemma slopes x x' s : 0 <= x <= 1 -> 0 <= x' <= 1 ->
    1 - (1 - gamma) * x' <= exp s * (1 - (1 - gamma) * x) -> slope x <= exp ((1 + eta) * s) * slope x'.
  Proof.
    intros X X' H. assert (Y : 0 < 1 - (1 - gamma) * x) by nra. assert (Y' : 0 < 1 - (1 - gamma) * x') by nra.
    unfold slope. pose proof mean_pos. pose proof (Rpower_pos gamma (1 + eta)).
    set (v := 1 - (1 - gamma) * x) in *. set (v' := 1 - (1 - gamma) * x') in *.
    enough (Rpower v (- (1 + eta)) <= exp ((1 + eta) * s) * Rpower v' (- (1 + eta))) as K.
    { apply Rle_trans with (truncated_mean eta gamma * (Rpower gamma (1 + eta)
        * (exp ((1 + eta) * s) * Rpower v' (- (1 + eta))))). 2: right; ring.
      apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l; lra. }
    unfold Rpower. rewrite <- exp_plus. apply exp_mono.
    assert (L : ln v' <= s + ln v).
    { rewrite <- (ln_exp s), <- ln_mult by (auto; apply exp_pos). destruct H as [H | ->]; [ | lra].
      left. now apply ln_increasing. }
    nra.
  Qed.
  (** $v'\le v\,\exp\frac{(b-1)r+\ln(1/\gamma)}b$ where $D_b(q\|p)\le r$. *)
  Lemma brackets_renyi {O} (l : list O) p q b r x x' : distribution l p -> distribution l q -> 1 < b -> renyi l b r q p
    ->
    tied l p q x x' ->
    1 - (1 - gamma) * x' <= exp ((1 - / b) * r - ln gamma / b) * (1 - (1 - gamma) * x).
  Proof.
    intros P Q B1 [S M] T. destruct (tied_bounds l p q x x' P Q T) as [X X'].
    destruct (brackets l p q x x' P Q T) as (h & Hh & E & E'). set (v := 1 - (1 - gamma) * x) in *.
    set (v' := 1 - (1 - gamma) * x') in *. assert (Y : gamma <= v) by (unfold v; nra).
    assert (Y' : gamma <= v') by (unfold v'; nra). assert (H0 : forall o, 0 < h o) by (intros o; specialize (Hh o);
      lra).
    assert (K : v' * Rpower (v' / v) (b - 1) <= exp ((b - 1) * r)).
    { rewrite E, E'. eapply Rle_trans. apply (moment_merged l (fun o => q o * h o) (fun o => p o * h o)). lra.
      intros o _. apply Rmult_le_pos. apply Q. left; apply H0. intros o _. apply Rmult_le_pos. apply P. left; apply H0.
      intros o I V. apply Rmult_lt_0_compat; auto. apply S; auto. pose proof (H0 o). destruct (proj1 Q o) as [V' | V'];
        auto.
      rewrite <- V' in V. lra.
      eapply Rle_trans. 2: apply M. apply sum_le. intros o I. pose proof (H0 o). specialize (Hh o).
      destruct (proj1 Q o) as [V | <-]; [ | lra]. pose proof (S o I V).
      replace (q o * h o / (p o * h o)) with (q o / p o) by (field; lra). apply Rmult_le_compat_r. left; apply exp_pos.
      nra. }
    assert (Z : 0 < v' / v) by (apply Rdiv_lt_0_compat; lra). set (z := v' / v) in *.
    assert (EZ : v' = z * v) by (unfold z; field; lra). rewrite EZ.
    apply Rmult_le_compat_r. lra. rewrite <- (exp_ln z) by auto. apply exp_mono.
    enough (b * ln z <= (b - 1) * r - ln gamma) as G.
    { apply (Rmult_le_reg_l b). lra. replace (b * ((1 - / b) * r - ln gamma / b)) with ((b - 1) * r - ln gamma) by
      (field; lra).
      exact G. }
    apply exp_mono_inv. replace ((b - 1) * r - ln gamma) with ((b - 1) * r + - ln gamma) by ring. rewrite exp_plus,
      exp_Ropp, exp_ln by lra.
    apply Rle_div_r. lra. eapply Rle_trans. 2: apply K. rewrite EZ at 1.
    replace (exp (b * ln z)) with (z * Rpower z (b - 1)).
    2: { rewrite <- (Rpower_1 z) at 1 by auto. rewrite <- Rpower_plus. unfold Rpower. f_equal. ring. }
    pose proof (Rpower_pos z (b - 1)). assert (0 < z * Rpower z (b - 1)) by (apply Rmult_lt_0_compat; auto). nra.
  Qed.
End Truncated.
