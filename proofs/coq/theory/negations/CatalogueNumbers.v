(** * Refuted claims of the catalogue at their own numbers

    Definition 3.4 of dp-erm at epsilon = 10.5 and Theorem 6.1 at epsilon = 100, the same releases as in ErmRevisited.v;
    Eqs. (3) and (6) outside their range at 10^4 records, those of ErmRange.v; the printed conversions of
    dynamic-privacy-budget (DynamicBudget.v).  There the statements are refuted with their quantifiers, here at the
    numbers that are audited. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref.negations Require Import Laws HalfLines Criteria Losses ErmRevisited ErmVarianceReduction ErmSampledIndex ErmRange DynamicBudget.
Open Scope R_scope.

(** Definition 3.4: the event is the half line 15/4 standard deviations above the mean of the larger answer. *)
Theorem definition_3_4_at_its_claim :
  let eps := 21 / 2 in let del := 506504679931535536447067787454324864951 / 50000000000000000000000000000000000000000000 in
  ~ private other_bit eps del
      (fun b => y <- gaussian 0 (sqrt (2 * ln (125 / 100 / del)) * 1 / eps); point (bit_query b + y)).
Proof.
  intros eps del P. set (s := sqrt (2 * ln (125 / 100 / del)) * 1 / eps).
  assert (B : 46 / 100 < s < 4612 / 10000) by (unfold s, del, eps; split; interval with (i_prec 60)).
  destruct (bit_normal_tails s true ltac:(lra) (1 + 15 / 4 * s)) as [A _].
  destruct (bit_normal_tails s false ltac:(lra) (1 + 15 / 4 * s)) as [A' _].
  specialize (P true false ltac:(discriminate) _ _ _ A A'). unfold bit_query in P.
  replace ((1 - (1 + 15 / 4 * s)) / s) with (- (15 / 4)) in P by (field; lra).
  assert (I : 2168 / 1000 <= / s). { apply Rle_trans with (/ (4612 / 10000)). lra. apply Rinv_le_contravar; lra. }
  assert (Q : normal_cdf ((0 - (1 + 15 / 4 * s)) / s) <= normal_cdf (- (15 / 4 + 2168 / 1000))).
  { apply normal_cdf_le. replace ((0 - (1 + 15 / 4 * s)) / s) with (- (15 / 4) - / s) by (field; lra). lra. }
  assert (U : normal_cdf (- (15 / 4 + 2168 / 1000)) <= 170 / 100000000000).
  { unfold normal_cdf. rewrite Ropp_involutive.
    pose proof (erfc_mills_upper ((15 / 4 + 2168 / 1000) / sqrt 2) ltac:(apply Rdiv_lt_0_compat; [lra | apply sqrt_2_pos])) as M.
    apply Rle_trans with (exp (- ((15 / 4 + 2168 / 1000) / sqrt 2 * ((15 / 4 + 2168 / 1000) / sqrt 2)))
      / (sqrt PI * ((15 / 4 + 2168 / 1000) / sqrt 2)) / 2). lra. interval with (i_prec 60). }
  assert (L : 86 / 1000000 <= normal_cdf (- (15 / 4))).
  { unfold normal_cdf. rewrite Ropp_involutive.
    pose proof (erfc_mills_lower (15 / 4 / sqrt 2) ltac:(apply Rdiv_le_0_compat; [lra | apply sqrt_2_pos])) as M.
    apply Rle_trans with (exp (- (15 / 4 / sqrt 2 * (15 / 4 / sqrt 2))) * (2 * (15 / 4 / sqrt 2)
      / (2 * (15 / 4 / sqrt 2 * (15 / 4 / sqrt 2)) + 1)) / sqrt PI / 2). interval with (i_prec 60). lra. }
  assert (E : exp eps <= 36316) by (unfold eps; interval).
  pose proof (exp_pos eps) as E0. pose proof (normal_cdf_bounds ((0 - (1 + 15 / 4 * s)) / s)) as N.
  assert (exp eps * normal_cdf ((0 - (1 + 15 / 4 * s)) / s) <= 36316 * (170 / 100000000000)) by (apply Rmult_le_compat; lra).
  unfold del in P. lra.
Qed.
(** Theorem 6.1: ten steps, c = 16; the event is the half line from the mean, 1/2 against at most exp (-108) / 2. *)
Theorem theorem_6_1_at_its_claim G eta n x0 : 0 < G -> 0 < eta -> (1 <= n)%nat ->
  let eps := 100 in let del := 1 / 100000 in let T := 10%nat in let c := 16 in
  ~ private (neighbours_of_size n) eps del
      (fun data => descent (fun x => mean (fun z => linear_slope G z x) data) eta (equation_11 c G T n eps del) T x0).
Proof.
  intros G0 eta0 N eps del T c P. pose proof (INR_pos n N) as N0. unfold T in P.
  assert (D : 0 < del < 1) by (unfold del; lra).
  pose proof (equation_11_value c G 10 n eps del ltac:(unfold c; lra) G0 N ltac:(unfold eps; lra) D) as V.
  set (sigma := equation_11 c G 10 n eps del) in *. pose proof (log_positive del D) as L.
  assert (LU : ln (1 / del) <= 116 / 10) by (unfold del; interval).
  pose proof (sqrt_lt_R0 (c * ln (1 / del)) ltac:(unfold c; lra)) as R0.
  pose proof (sqrt_sqrt (c * ln (1 / del)) ltac:(unfold c; lra)) as R2.
  pose proof (sqrt_lt_R0 (INR 10) ltac:(apply INR_pos; lia)) as T0. pose proof (sqrt_sqrt (INR 10) ltac:(apply pos_INR)) as T2.
  assert (S0 : 0 < sigma). { rewrite V. apply Rdiv_lt_0_compat. 2: unfold eps; nra. repeat apply Rmult_lt_0_compat; auto. }
  destruct (descent_on_signs n G eta sigma 9 x0 N eta0 S0) as [A B].
  refine (gap_refutes eps del _ _ _ _ _ _ A B _ _ (P _ _ (witnesses n N))).
  - repeat apply Rmult_lt_0_compat; auto.
  - unfold del. lra.
  - set (q := sqrt (INR 10)) in *. set (r := sqrt (c * ln (1 / del))) in *. rewrite <- T2, V.
    replace ((x0 - q * q * (eta * G) - (x0 - q * q * (eta * (G - 2 * G / INR n))))
        * (x0 - q * q * (eta * G) - (x0 - q * q * (eta * (G - 2 * G / INR n))))
        / (2 * (eta * (r * G * q / (INR n * eps)) * q * (eta * (r * G * q / (INR n * eps)) * q))))
      with (2 * (eps * eps) / (r * r)) by (field; unfold eps; lra).
    rewrite R2. unfold c, eps. apply (Rmult_le_reg_r (16 * ln (1 / del))). lra.
    replace (2 * (100 * 100) / (16 * ln (1 / del)) * (16 * ln (1 / del))) with 20000 by (field; lra). lra.
Qed.

(** Two inner steps on 10^4 records. *)
Lemma ten_thousand_records a prox l sigma : 1 / 2 <= a <= 1 -> (forall y, prox y = a * y) -> 0 < l <= 20 ->
  sigma = sqrt (16 * (1 * 1) * 2 * l / (INR (10 ^ 4) * INR (10 ^ 4) * (1 * 1))) ->
  ~ private (neighbours_of_size (10 ^ 4)) 1 (1 / 100000000)
      (fun data => inner_steps (marked_slope 1 1) prox 6 sigma data 2 0 0 0 (fun total _ => point (total / 2))).
Proof.
  intros A P L ->. assert (N : (1 <= 10 ^ 4)%nat) by (apply INR_le; rewrite pow_INR; simpl; lra).
  pose proof (positive_noise 16 l (10 ^ 4) 1 ltac:(lra) (proj1 L) N ltac:(lra)) as S0.
  pose proof (noise_square_at 16 l (10 ^ 4) 1 ltac:(lra) (proj1 L) N ltac:(lra)) as V. cbv zeta in V.
  set (s := sqrt (16 * (1 * 1) * 2 * l / (INR (10 ^ 4) * INR (10 ^ 4) * (1 * 1)))) in *.
  assert (R : INR (10 ^ 4) = 10000) by (rewrite pow_INR; simpl; lra). rewrite R in V.
  assert (B : s * s <= / 100000) by lra. assert (s * s > 0) by nra.
  apply (sampled_index_shows a 1 1 6 s (10 ^ 4) prox); auto; try lra.
  - nra.
  - rewrite R. assert (X : 100 <= 1 * 1 / (10 * (s * s))).
    { apply (Rmult_le_reg_r (10 * (s * s))). lra. replace (1 * 1 / (10 * (s * s)) * (10 * (s * s))) with 1 by (field; lra). lra. }
    assert (Y : exp (- (1 * 1 / (10 * (s * s)))) <= exp (- 100)) by (apply exp_le; lra).
    assert (Z : exp 1 <= 3) by apply exp_le_3. assert (W : exp (- 100) <= / 1000000000) by interval. pose proof (exp_pos 1). nra.
Qed.
Theorem equation_3_at_its_claim :
  let eps := 1 in let del := 1 / 100000000 in let n := (10 ^ 4)%nat in let c := 16 in let epochs := 1%nat in let inner := 2%nat in
  ~ private (neighbours_of_size n) eps del
      (fun data => svrg (marked_slope 1 1) (fun y => scale * y) 6 (equation_3 c 1 epochs inner n eps del) data epochs inner 0).
Proof.
  intros eps del n c epochs inner. unfold inner, epochs. rewrite equation_3_at.
  refine (ten_thousand_records scale _ (ln (1 / del)) _ scale_range (fun y => eq_refl) _ eq_refl). unfold del. split; interval.
Qed.
Theorem equation_6_at_its_claim :
  let eps := 1 in let del := 1 / 100000000 in let n := (10 ^ 4)%nat in let c := 16 in let epochs := 1%nat in let inner := 1%nat in
  ~ private (neighbours_of_size n) eps del
      (fun data => svrg_plus_plus (marked_slope 1 1) (fun y => 1 * y) 6 (equation_6 c 1 epochs inner n eps del) data epochs inner 0 0).
Proof.
  intros eps del n c epochs inner. unfold inner, epochs. rewrite equation_6_at.
  refine (ten_thousand_records 1 _ (ln (2 / del)) _ ltac:(lra) (fun y => eq_refl) _ eq_refl). unfold del. split; interval.
Qed.

(** The printed root of Appendix C.1, and half the budget of Section 4.1.3, at (4, 10^-8). *)
Theorem printed_rho_at_its_claim :
  let eps := 4 in let del := 1 / 100000000 in
  printed_rho eps del = printed_budget eps del / 2 /\
  exists M : bool -> R -> R,
    (forall d, density (M d)) /\ line_zCDP other_bit (printed_rho eps del) M /\ ~ line_DP other_bit eps del M.
Proof.
  intros eps del. split. unfold printed_rho, printed_budget. field. apply printed_rho_is_not_private; unfold eps, del; lra.
Qed.
