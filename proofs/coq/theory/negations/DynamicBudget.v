(** * Dynamic privacy-budget allocation: Theorem 3.5, Algorithm 1 on batches, Lemma C.4, Section 4.1.3

    Theorem 3.5 [theorem_3_5]: gradient descent on G-Lipschitz losses, privatised by Algorithm 1 with the budget R, is
    R/2-zCDP; zCDP is defined for neighbours of equal size that differ in one sample (replace-one).
    Algorithm 1 as printed takes n raw gradients, n <= N, and divides the noise by N [batch_claim]; here under zero-out
    (a record becomes null, its gradient zero), where the statement with n = N is true.
    Appendix C.1 [printed_rho], and twice that in Section 4.1.3 [printed_budget]: the rho that Lemma C.4 asks for at
    (epsilon, delta) is epsilon + 2 L + 2 sqrt (L (epsilon + L)), L = ln (1 / delta). *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses.
Import ListNotations.
Open Scope R_scope.

(** ** Theorem 3.5 *)

(** Algorithm 1 and its driver, for plain gradient steps: a step is made while its cost 1 / sigma_t^2 is below the
    residual budget (strictly, as printed); [N] divides the noise. *)
Fixpoint budgeted_descent (slope : R -> R) (G : R) (N : nat) (eta sigma : nat -> R) (steps t : nat) (budget x : R) : law R :=
  match steps with
  | O => point x
  | S steps =>
      let cost := 1 / (sigma t * sigma t) in
      if Rlt_dec cost budget then
        nu <- gaussian 0 1;
        budgeted_descent slope G N eta sigma steps (S t) (budget - cost) (x - eta t * (slope x + G * sigma t * nu / INR N))
      else point x
  end.
Definition theorem_3_5 : Prop := forall (X : Type) (f g : X -> R -> R) G N eta sigma T budget x0,
  differentiable f g -> lipschitz f G -> 0 < G -> (1 <= N)%nat -> (forall t, 0 < eta t) -> (forall t, 0 < sigma t) -> 0 < budget ->
  concentrated (neighbours_of_size N) (budget / 2)
    (fun data => budgeted_descent (fun x => mean (fun z => g z x) data) G N eta sigma T 1 budget x0).

(** One step that is made. *)
Lemma one_step slope G N eta sigma budget x : 0 < G -> (1 <= N)%nat -> 0 < eta 1%nat -> 0 < sigma 1%nat ->
  1 / (sigma 1%nat * sigma 1%nat) < budget ->
  normal_tails (budgeted_descent slope G N eta sigma 1 1 budget x) (x - eta 1%nat * slope x) (eta 1%nat * (G * sigma 1%nat / INR N)).
Proof.
  intros G0 N0 E S B. pose proof (INR_pos N N0) as P. simpl. destruct (Rlt_dec _ _) as [h | h]. 2: contradiction.
  assert (K : 0 < eta 1%nat * (G * sigma 1%nat / INR N)).
  { apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat. }
  set (k := eta 1%nat * (G * sigma 1%nat / INR N)) in *.
  apply (normal_tails_ext (z <- gaussian 0 1; point (x - eta 1%nat * slope x + (- k) * z)) _
    (x - eta 1%nat * slope x) (Rabs (- k) * 1)); auto.
  - intros f v (q & H & I). exists q. split; auto. intros z. rewrite <- (H z). unfold point. f_equal. unfold k. field. lra.
  - rewrite Rabs_Ropp, Rabs_pos_eq by lra. ring.
  - apply affine_normal_tails; lra.
Qed.
(** At every budget, size, step and noise whose one step costs between a quarter of the budget and all of it. *)
Theorem replace_one_costs_four_times G N eta sigma budget x0 : 0 < G -> (1 <= N)%nat -> 0 < eta 1%nat -> 0 < sigma 1%nat ->
  budget / 4 < 1 / (sigma 1%nat * sigma 1%nat) < budget ->
  ~ concentrated (neighbours_of_size N) (budget / 2)
      (fun data => budgeted_descent (fun x => mean (fun z => linear_slope G z x) data) G N eta sigma 1 1 budget x0).
Proof.
  intros G0 N0 E S [B1 B2]. pose proof (INR_pos N N0) as P.
  pose proof (one_step (fun x => mean (fun z => linear_slope G z x) (all_plus N)) G N eta sigma budget x0 G0 N0 E S B2) as A.
  pose proof (one_step (fun x => mean (fun z => linear_slope G z x) (one_minus N)) G N eta sigma budget x0 G0 N0 E S B2) as A'.
  cbv beta in A, A'. rewrite mean_all_plus in A by auto. rewrite mean_one_minus in A' by auto.
  refine (shift_refutes_concentrated _ _ _ _ _ _ _ _ (witnesses_reversed N N0) _ A' A _ _).
  - apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat.
  - assert (0 < G / INR N) by (apply Rdiv_lt_0_compat; auto).
    replace (G - 2 * G / INR N) with (G - 2 * (G / INR N)) by (field; lra). nra.
  - match goal with |- _ < ?v => replace v with (2 * (1 / (sigma 1%nat * sigma 1%nat))) by (field; lra) end. lra.
Qed.
Theorem theorem_3_5_is_false : ~ theorem_3_5.
Proof.
  intros H. pose proof (sqrt_sqrt 2 ltac:(lra)) as S. pose proof (sqrt_lt_R0 2 ltac:(lra)) as P.
  apply (replace_one_costs_four_times 1 1 (fun _ => 1) (fun _ => sqrt 2) 1 0); try lra; try lia.
  - rewrite S. lra.
  - apply (H bool (linear_loss 1) (linear_slope 1)); try lra; try lia; auto.
    apply linear_differentiable. apply linear_lipschitz; lra. intros; lra.
Qed.

(** The schedule of Theorem 4.5: sigma_t^2 = gamma^(t / 2) (gamma^(- T / 2) - 1) / ((1 - sqrt gamma) R). *)
Definition schedule_4_5 (gamma budget : R) (T t : nat) : R :=
  sqrt (Rpower gamma (INR t / 2) * (Rpower gamma (- INR T / 2) - 1) / ((1 - sqrt gamma) * budget)).
(** Two steps planned; the strict test makes the first alone, which costs more than half the budget. *)
Theorem theorem_3_5_with_the_schedule_of_theorem_4_5_is_false gamma budget G N x0 : 1 / 9 < gamma < 1 -> 0 < budget -> 0 < G ->
  (1 <= N)%nat -> ~ concentrated (neighbours_of_size N) (budget / 2) (fun data =>
    budgeted_descent (fun x => mean (fun z => linear_slope G z x) data) G N (fun _ => 1) (schedule_4_5 gamma budget 2) 2 1 budget x0).
Proof.
  intros Ga B G0 N0 Z. pose proof (INR_pos N N0) as P.
  assert (s3 : 1 / 3 < sqrt gamma < 1).
  { split. rewrite <- (sqrt_square (1 / 3)) by lra. apply sqrt_lt_1_alt. lra.
    rewrite <- sqrt_1. apply sqrt_lt_1_alt. lra. }
  set (g := sqrt gamma) in *. assert (gg : g * g = gamma) by (apply sqrt_sqrt; lra).
  assert (p1 : Rpower gamma (INR 1 / 2) = g).
  { replace (INR 1 / 2) with (/ 2) by (simpl; field). rewrite Rpower_sqrt by lra. reflexivity. }
  assert (p2 : Rpower gamma (INR 2 / 2) = gamma).
  { replace (INR 2 / 2) with 1 by (simpl; field). apply Rpower_1. lra. }
  assert (pT : Rpower gamma (- INR 2 / 2) = / gamma).
  { replace (- INR 2 / 2) with (- (1)) by (simpl; field). rewrite Rpower_Ropp, Rpower_1 by lra. reflexivity. }
  assert (v1 : schedule_4_5 gamma budget 2 1 * schedule_4_5 gamma budget 2 1 = (1 + g) / (g * budget)).
  { unfold schedule_4_5. rewrite p1, pT. fold g. rewrite sqrt_sqrt. rewrite <- gg. field. lra.
    rewrite <- gg. replace (g * (/ (g * g) - 1) / ((1 - g) * budget)) with ((1 + g) / (g * budget)) by (field; lra).
    apply Rdiv_le_0_compat; nra. }
  assert (v2 : schedule_4_5 gamma budget 2 2 * schedule_4_5 gamma budget 2 2 = (1 + g) / budget).
  { unfold schedule_4_5. rewrite p2, pT. fold g. rewrite sqrt_sqrt. rewrite <- gg. field. lra.
    rewrite <- gg. replace (g * g * (/ (g * g) - 1) / ((1 - g) * budget)) with ((1 + g) / budget) by (field; lra).
    apply Rdiv_le_0_compat; lra. }
  assert (S1 : 0 < schedule_4_5 gamma budget 2 1).
  { pose proof (sqrt_pos (Rpower gamma (INR 1 / 2) * (Rpower gamma (- INR 2 / 2) - 1) / ((1 - sqrt gamma) * budget))) as Q.
    fold (schedule_4_5 gamma budget 2 1) in Q. assert (0 < (1 + g) / (g * budget)) by (apply Rdiv_lt_0_compat; nra). nra. }
  assert (c1 : 1 / (schedule_4_5 gamma budget 2 1 * schedule_4_5 gamma budget 2 1) = budget * (g / (1 + g))).
  { rewrite v1. field. lra. }
  assert (gr : 1 / 4 < g / (1 + g) < 1).
  { split; apply (Rmult_lt_reg_r (1 + g)); try lra; unfold Rdiv; rewrite (Rmult_assoc g), Rinv_l; lra. }
  revert Z. assert (E : forall data x, budgeted_descent (fun x => mean (fun z => linear_slope G z x) data) G N (fun _ => 1)
      (schedule_4_5 gamma budget 2) 2 1 budget x
    = budgeted_descent (fun x => mean (fun z => linear_slope G z x) data) G N (fun _ => 1) (schedule_4_5 gamma budget 2) 1 1 budget x).
  { intros data x. simpl. destruct (Rlt_dec _ _) as [h | h]; auto.
    destruct (Rlt_dec _ _) as [k | k]; auto. exfalso. rewrite c1, v2 in k.
    replace (1 / ((1 + g) / budget)) with (budget - budget * (g / (1 + g))) in k by (field; lra). lra. }
  intros Z. apply (replace_one_costs_four_times G N (fun _ => 1) (schedule_4_5 gamma budget 2) budget x0); auto; try lra.
  - rewrite c1. nra.
  - intros d d' a W A. specialize (Z d d' a W A). cbv beta in Z. now rewrite !E in Z.
Qed.

(** ** Algorithm 1 on n < N raw gradients *)

(** Null records, whose gradient is zero; neighbours: one record becomes null. *)
Definition null_slope {X} (g : X -> R -> R) (z : option X) (x : R) : R := match z with Some z => g z x | None => 0 end.
Definition zero_out {X} (n : nat) (d d' : list (option X)) : Prop :=
  length d = n /\ exists a z b, d = a ++ Some z :: b /\ d' = a ++ None :: b.
Definition batch_claim : Prop := forall (X : Type) (f g : X -> R -> R) G n N eta sigma T budget x0,
  differentiable f g -> lipschitz f G -> 0 < G -> (1 <= n <= N)%nat -> (forall t, 0 < eta t) -> (forall t, 0 < sigma t) -> 0 < budget ->
  concentrated (zero_out n) (budget / 2)
    (fun batch => budgeted_descent (fun x => mean (fun z => null_slope g z x) batch) G N eta sigma T 1 budget x0).

Definition one_record (n : nat) : list (option bool) := Some false :: repeat None (n - 1).
Definition no_record (n : nat) : list (option bool) := None :: repeat None (n - 1).
Lemma one_record_zero_out n : (1 <= n)%nat -> zero_out n (one_record n) (no_record n).
Proof.
  intros H. split. simpl. rewrite repeat_length. lia. exists [], false, (repeat None (n - 1)). split; reflexivity.
Qed.
Lemma mean_nulls G s n x : (1 <= n)%nat ->
  mean (fun z => null_slope (linear_slope G) z x) (s :: repeat None (n - 1)) = null_slope (linear_slope G) s x / INR n.
Proof.
  intros H. unfold mean. simpl Finite.sum_over. rewrite sum_over_repeat. simpl length. rewrite repeat_length.
  replace (S (n - 1)) with n by lia. unfold null_slope. f_equal. ring.
Qed.
(** The batch is half the population or less: one step within the budget costs more than R/2. *)
Theorem batch_noise_is_too_small G n N eta sigma budget x0 : 0 < G -> (1 <= n)%nat -> (2 * n <= N)%nat -> 0 < eta 1%nat -> 0 < sigma 1%nat ->
  budget / 4 < 1 / (sigma 1%nat * sigma 1%nat) < budget ->
  ~ concentrated (zero_out n) (budget / 2)
      (fun batch => budgeted_descent (fun x => mean (fun z => null_slope (linear_slope G) z x) batch) G N eta sigma 1 1 budget x0).
Proof.
  intros G0 n0 N0 E S [B1 B2]. pose proof (INR_pos n n0) as P. pose proof (INR_pos N ltac:(lia)) as PN.
  pose proof (le_INR _ _ N0) as L. rewrite mult_INR in L. simpl (INR 2) in L.
  pose proof (one_step (fun x => mean (fun z => null_slope (linear_slope G) z x) (one_record n)) G N eta sigma budget x0 G0 ltac:(lia) E S B2) as A.
  pose proof (one_step (fun x => mean (fun z => null_slope (linear_slope G) z x) (no_record n)) G N eta sigma budget x0 G0 ltac:(lia) E S B2) as A'.
  cbv beta in A, A'. unfold one_record at 2 in A. unfold no_record at 2 in A'. rewrite mean_nulls in A, A' by auto.
  unfold null_slope at 2 in A. unfold null_slope at 2 in A'. unfold linear_slope at 2 in A. unfold sign in A.
  refine (shift_refutes_concentrated _ _ _ _ _ _ _ _ (one_record_zero_out n n0) _ A A' _ _).
  - apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat.
  - assert (0 < G / INR n) by (apply Rdiv_lt_0_compat; auto).
    replace (-1 * G / INR n) with (- (G / INR n)) by (field; lra). unfold Rdiv at 1. rewrite Rmult_0_l. nra.
  - match goal with |- _ < ?v => replace v with (INR N / INR n * (INR N / INR n) * (1 / (sigma 1%nat * sigma 1%nat)) / 2) by (field; lra) end.
    assert (2 <= INR N / INR n).
    { apply (Rmult_le_reg_r (INR n)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (4 <= INR N / INR n * (INR N / INR n)) by nra. nra.
Qed.
Theorem batch_claim_is_false : ~ batch_claim.
Proof.
  intros H. pose proof (sqrt_sqrt 2 ltac:(lra)) as S. pose proof (sqrt_lt_R0 2 ltac:(lra)) as P.
  apply (batch_noise_is_too_small 1 1 2 (fun _ => 1) (fun _ => sqrt 2) 1 0); try lra; try lia.
  - rewrite S. lra.
  - apply (H bool (linear_loss 1) (linear_slope 1)); try lra; try lia; auto.
    apply linear_differentiable. apply linear_lipschitz; lra. intros; lra.
Qed.

(** ** The printed root of the conversion *)

Definition printed_rho (eps del : R) : R :=
  eps + 2 * ln (1 / del) + 2 * sqrt (ln (1 / del) * (eps + ln (1 / del))).
Definition printed_budget (eps del : R) : R := 2 * eps + 4 * ln (1 / del) + 4 * sqrt (ln (1 / del) * (eps + ln (1 / del))).
(** What the inversion would mean: rho-zCDP at the printed rho is (epsilon, delta)-private. *)
Definition inversion_claim : Prop := forall (D : Type) (neighbours : D -> D -> Prop) (M : D -> R -> R) eps del,
  0 < eps -> 0 < del < 1 -> (forall d, density (M d)) -> line_zCDP neighbours (printed_rho eps del) M -> line_DP neighbours eps del M.
Definition budget_claim : Prop := forall (D : Type) (neighbours : D -> D -> Prop) (M : D -> R -> R) eps del,
  0 < eps -> 0 < del < 1 -> (forall d, density (M d)) -> line_zCDP neighbours (printed_budget eps del / 2) M ->
  line_DP neighbours eps del M.

(** The Gaussian mechanism on one bit, at its exact rho = 1 / (2 s^2): rho-zCDP, and for every epsilon and every delta
    up to 1/4 not (epsilon, delta)-private; the event: above the mean. *)
Theorem printed_rho_is_not_private eps del : 0 < eps -> 0 < del <= 1 / 4 ->
  exists M : bool -> R -> R,
    (forall d, density (M d)) /\ line_zCDP other_bit (printed_rho eps del) M /\ ~ line_DP other_bit eps del M.
Proof.
  intros E D. assert (L : 1 <= ln (1 / del)).
  { rewrite <- (ln_exp 1) at 1. apply ln_le. apply exp_pos. apply Rle_trans with 4. pose proof exp_le_3. lra.
    apply (Rmult_le_reg_r del). lra. replace (1 / del * del) with 1 by (field; lra). lra. }
  pose proof (sqrt_pos (ln (1 / del) * (eps + ln (1 / del)))) as Q. set (rho := printed_rho eps del).
  assert (r : eps + 2 <= rho) by (unfold rho, printed_rho; lra).
  pose proof (sqrt_sqrt (2 * rho) ltac:(lra)) as S. pose proof (sqrt_lt_R0 (2 * rho) ltac:(lra)) as P.
  assert (s0 : 0 < / sqrt (2 * rho)) by now apply Rinv_0_lt_compat.
  exists (gaussian_mechanism bit_query (/ sqrt (2 * rho))). split; [intros d; now apply normal_density | split].
  - pose proof (gaussian_zCDP other_bit bit_query 1 _ s0 bit_sensitivity) as Z. rewrite <- Rinv_mult, S in Z.
    replace (1 ^ 2 / (2 * / (2 * rho))) with rho in Z by (field; lra). exact Z.
  - intros H. specialize (H true false ltac:(discriminate) (beyond 1) _ _ (normal_beyond 1 _ 1 s0) (normal_beyond 0 _ 1 s0)).
    replace ((1 - 1) / / sqrt (2 * rho)) with 0 in H by (field; lra).
    replace ((0 - 1) / / sqrt (2 * rho)) with (- sqrt (2 * rho)) in H by (field; lra).
    rewrite normal_cdf_0 in H. pose proof (normal_cdf_upper (sqrt (2 * rho)) ltac:(lra)) as U. rewrite S in U.
    replace (2 * rho / 2) with rho in U by field.
    assert (B : exp eps * exp (- rho) < / 2).
    { rewrite <- exp_plus. apply Rle_lt_trans with (exp (- (1))). apply exp_le. lra. rewrite exp_Ropp.
      apply Rinv_lt_contravar. pose proof (exp_pos 1). lra. pose proof (exp_ineq1 1 ltac:(lra)). lra. }
    pose proof (exp_pos eps). nra.
Qed.
Theorem lemma_c_4_inversion_is_false : ~ inversion_claim.
Proof.
  intros H. destruct (printed_rho_is_not_private 4 (1 / 100000000) ltac:(lra) ltac:(lra)) as (M & P & Z & N).
  apply N. apply H; auto; lra.
Qed.
Theorem section_4_1_3_is_false : ~ budget_claim.
Proof.
  intros H. destruct (printed_rho_is_not_private 4 (1 / 100000000) ltac:(lra) ltac:(lra)) as (M & P & Z & N).
  apply N. apply H; try lra. exact P. replace (printed_budget 4 (1 / 100000000) / 2) with (printed_rho 4 (1 / 100000000)); auto.
  unfold printed_budget, printed_rho. field.
Qed.
