(** * Report-noisy-max with Gumbel noise is the exponential mechanism

    The noise of scale b has the density exp(-z / b) exp(-exp(-z / b)) / b and the distribution function
    exp(-exp(-z / b)).  Proved here from the definition of NoisyMax.v, an integral over the line: of finitely many
    candidates v is reported with a probability proportional to exp(score / b), which is the exponential mechanism of
    Mechanisms.v, with all that is proved of it. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Conversion Concentrated Mechanisms Flips
  PermuteFlip
  Improper Density Erfc Gaussian GaussianCurve Laplace NoisyMax.
Open Scope R_scope.

Definition gumbel_cdf b z := exp (- exp (- (z / b))).
Definition gumbel b z := exp (- (z / b)) * gumbel_cdf b z / b.

Lemma falls_below b c : 0 < b -> 0 < c -> is_lim (fun z => exp (- (c * exp (- (z / b)))) / c) m_infty 0.
Proof.
  intros B C. apply (is_lim_le_le_loc (fun _ => 0) (fun z => / (c * exp (- (z / b))) / c)).
  - exists 0. intros z _. assert (Y : 0 < c * exp (- (z / b))) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
    pose proof (Rinv_0_lt_compat _ C). split. left. apply Rdiv_lt_0_compat; auto; apply exp_pos.
    apply Rmult_le_compat_r. lra. rewrite exp_Ropp. apply Rinv_le_contravar; auto.
    pose proof (exp_ineq1_le (c * exp (- (z / b)))). lra.
  - apply is_lim_const.
  - assert (E : is_lim (fun z => exp (z / b)) m_infty 0).
    { apply (is_lim_comp exp (fun z => z / b) m_infty 0 m_infty). apply is_lim_exp_m.
      intros P [M HM]. exists (M * b). intros z Z. apply HM. now apply Rlt_div_l. exists 0. easy. }
    apply (is_lim_ext (fun z => / (c * c) * exp (z / b))).
    intros z. rewrite exp_Ropp. pose proof (exp_pos (z / b)). field. lra.
    pose proof (is_lim_scal_l _ (/ (c * c)) m_infty 0 E) as H. simpl in H. now rewrite Rmult_0_r in H.
Qed.
Lemma rises_above b c : 0 < b -> 0 < c -> is_lim (fun z => exp (- (c * exp (- (z / b)))) / c) p_infty (/ c).
Proof.
  intros B C. assert (E : is_lim (fun z => exp (- (z / b))) p_infty 0).
  { apply (is_lim_comp exp (fun z => - (z / b)) p_infty 0 m_infty). apply is_lim_exp_m.
    intros P [M HM]. exists (- M * b). intros z Z. apply HM. apply Ropp_lt_cancel. rewrite Ropp_involutive.
    now apply Rlt_div_r. exists 0. easy. }
  pose proof (is_lim_scal_l _ (- c) p_infty 0 E) as H. simpl in H. rewrite Rmult_0_r in H.
  assert (G : is_lim (fun z => exp (- c * exp (- (z / b)))) p_infty (exp 0)).
  { apply (is_lim_comp_continuous (fun z => - c * exp (- (z / b))) exp p_infty 0); auto.
    apply (ex_derive_continuous exp). auto_derive. auto. }
  rewrite exp_0 in G. pose proof (is_lim_scal_l _ (/ c) p_infty 1 G) as K. simpl in K. rewrite Rmult_1_r in K.
  revert K. apply is_lim_ext. intros z. rewrite <- Ropp_mult_distr_l. unfold Rdiv. ring.
Qed.
Lemma sum_remove {O} (dec : forall x y : O, {x = y} + {x <> y}) (l : list O) v g : NoDup l -> In v l ->
  sum_over l g = g v + sum_over (remove dec v l) g.
Proof.
  intros ND. induction ND as [ | o m K ND IH]; simpl. easy. intros [-> | I].
  - destruct (dec v v); [ | easy]. now rewrite (notin_remove dec m v K).
  - destruct (dec v o) as [-> | ]. easy. simpl. rewrite IH by auto. ring.
Qed.
(** With Gumbel noise of scale b, candidate v is reported with probability $e^{s_v/b}/\sum_ue^{s_u/b}$. *)
Theorem gumbel_noisy_max {D O} dec (l : list O) (score : D -> O -> R) b d v : NoDup l -> In v l -> 0 < b ->
  integral (reported dec (gumbel b) (gumbel_cdf b) l (score d) v) (exponential l score b d v)
  /\ noisy_max dec (gumbel b) (gumbel_cdf b) l score d v = exponential l score b d v.
Proof.
  intros ND I B. set (s := score d). set (c := sum_over l (fun u => exp ((s u - s v) / b))).
  assert (C : 0 < c).
  { apply sum_pos. intros ->. easy. intros. apply exp_pos. }
  assert (R0 : forall z, exp (- (c * exp (- (z / b)))) * exp (- (z / b)) / b = reported dec (gumbel b) (gumbel_cdf b) l
    s v z).
  { intros z. unfold reported, gumbel, c. rewrite (sum_remove dec l v) by auto.
    rewrite Rminus_diag_eq by reflexivity. replace (0 / b) with 0 by (field; lra). rewrite exp_0.
    assert (E : forall m, product_over m (fun u => gumbel_cdf b (z + s v - s u))
      = exp (- (sum_over m (fun u => exp ((s u - s v) / b)) * exp (- (z / b))))).
    { induction m as [ | u m IH]; simpl. now rewrite Rmult_0_l, Ropp_0, exp_0. rewrite IH. unfold gumbel_cdf.
      rewrite <- exp_plus. f_equal. rewrite Rmult_plus_distr_r, Ropp_plus_distr. f_equal. f_equal.
      rewrite <- exp_plus. f_equal. field. lra. }
    rewrite E. unfold gumbel_cdf. rewrite Rmult_plus_distr_r, Rmult_1_l, Ropp_plus_distr, exp_plus. field. lra. }
  assert (H : integral (reported dec (gumbel b) (gumbel_cdf b) l s v) (exponential l score b d v)).
  { replace (exponential l score b d v) with (/ c - 0).
    - apply (integral_antiderivative (fun z => exp (- (c * exp (- (z / b)))) / c)).
      + intros z. rewrite <- R0. auto_derive. auto. unfold Rdiv. field. lra.
      + intros z. apply (continuous_ext (fun z => exp (- (c * exp (- (z / b)))) * exp (- (z / b)) / b)). apply R0.
        apply (ex_derive_continuous (fun z => exp (- (c * exp (- (z / b)))) * exp (- (z / b)) / b)). auto_derive. auto.
      + now apply falls_below.
      + now apply rises_above.
    - unfold exponential. fold s. rewrite Rminus_0_r.
      assert (E : sum_over l (fun o => exp (s o / b)) = exp (s v / b) * c).
      { unfold c. rewrite <- sum_scal. apply sum_ext. intros u _. rewrite <- exp_plus. f_equal. field. lra. }
      rewrite E. pose proof (exp_pos (s v / b)). field. lra. }
  split; auto. unfold noisy_max. exact (is_RInt_gen_unique _ _ H).
Qed.
