(** * Non-convex risk under the KL condition: Theorem 3 (adaptive noisy gradient descent)

    Neighbours differ in one record (replace-one), or one record becomes null (zero-out); dimension one.
    Theorem 3 [theorem_3, theorem_3_zero_out]: for Lipschitz losses, running Algorithm 3 and releasing w_0, ..., w_T is rho-zCDP.  Line 3 adds
    normal noise to the norm of the gradient, as printed, so N_t may be negative: then line 4 takes its least noise,
    which costs rho / 2, and line 6 records next to nothing.
    Refuted by a few such rounds on linear losses, by the released iterates alone: N_t, which decides the noise and when
    the run ends, is averaged over.  The event: each of the first steps lies between the one data set's slope and that
    plus four times the least noise; order 2.  Six rounds at rho = 16 and n = 10^24, or 23 rounds at rho = 64. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses RiseAndFall KlAdaptive DynamicBudget.
Import ListNotations.
Open Scope R_scope.

(** ** The statement *)

(** A round records at least sqrt rho / n, so that a run has at most n sqrt rho / 2 + 1 rounds. *)
Definition theorem_3 : Prop := forall (X : Type) (f g : X -> R -> R) rho beta w0 L0 L1 n rounds,
  differentiable f g -> lipschitz f L0 -> smooth g L1 -> 0 < rho -> 0 < beta < 1 -> 0 < L0 -> 0 < L1 -> (1 <= n)%nat ->
  beta < INR n * sqrt rho -> INR n * sqrt rho / 2 + 1 <= INR rounds ->
  concentrated (neighbours_of_size n) rho
    (fun data => adaptive (fun w => mean (fun z => g z w) data) rho beta L0 L1 n rounds 0 w0).

(** Null records, whose gradient is zero: one record becomes null. *)
Definition theorem_3_zero_out : Prop := forall (X : Type) (f g : X -> R -> R) rho beta w0 L0 L1 n rounds,
  differentiable f g -> lipschitz f L0 -> smooth g L1 -> 0 < rho -> 0 < beta < 1 -> 0 < L0 -> 0 < L1 -> (1 <= n)%nat ->
  beta < INR n * sqrt rho -> INR n * sqrt rho / 2 + 1 <= INR rounds ->
  concentrated (zero_out n) rho
    (fun data => adaptive (fun w => mean (fun z => null_slope g z w) data) rho beta L0 L1 n rounds 0 w0).

(** ** Rounds with the least noise *)

Lemma normal_cdf_slow x k : 0 <= k -> normal_cdf (x + k) <= normal_cdf x + (k + k * k).
Proof.
  intros K. pose proof (normal_cdf_tangent x k) as T. apply Rabs_le_between in T.
  assert (B : bell x <= 1).
  { rewrite bell_formula. apply (Rmult_le_reg_r (sqrt (2 * PI))). apply sqrt_2PI_pos.
    replace (exp (- (x * x / 2)) / sqrt (2 * PI) * sqrt (2 * PI)) with (exp (- (x * x / 2))) by (field; apply Rgt_not_eq, sqrt_2PI_pos).
    apply Rle_trans with 1. rewrite <- exp_0. apply exp_le. nra. interval. }
  nra.
Qed.
(** Rounds whose least noise is 1 and whose slopes on the two data sets are 4 apart; N_t has the noise 10^12. *)
Section Rounds.
  Variables (rho beta L0 above below : R) (n k : nat).
  Hypothesis (rho0 : 0 < rho) (L0_0 : 0 < L0) (n0 : (1 <= n)%nat).
  Hypothesis (log_is : logarithm rho beta n = 64) (noise_is : norm_noise rho L0 n = 1000000000000).
  Hypothesis (least_is : 2 * L0 / (INR n * sqrt rho) = 1) (slow : sqrt rho / INR n <= 1 / 10) (steep : L0 <= 4 * INR n).
  Hypothesis (apart : above - below = 4) (above_range : Rabs above <= 4) (below_range : Rabs below <= 4).
  Hypothesis (enough : INR k / 2 <= rho / 2) (gain : 2 * rho < INR k * (58 / 10)).
  Let step_is N : step_noise rho beta L0 n N = Rmax (N / 8) 1.
  Proof. unfold step_noise. rewrite log_is, least_is. replace 64 with (8 * 8) by ring. now rewrite sqrt_square by lra. Qed.
  Let noise0 : 0 < norm_noise rho L0 n. Proof. rewrite noise_is. lra. Qed.
  Let step0 N : 0 < step_noise rho beta L0 n N. Proof. rewrite step_is. pose proof (Rmax_r (N / 8) 1). lra. Qed.
  Let log0 : 0 < logarithm rho beta n. Proof. rewrite log_is. lra. Qed.
  Let window : above <= above + 4. Proof. lra. Qed.
  Let shown (s : R) := chance s rho beta L0 above (above + 4) n k 0.
  Let little N : N <= - 100 -> recorded rho beta L0 n N <= 1 / 2.
  Proof.
    intros H. unfold recorded. rewrite log_is. pose proof (INR_pos n n0) as P. set (c := L0 * L0 * 64 / (INR n * INR n)).
    assert (C : c <= 1024).
    { unfold c. apply (Rmult_le_reg_r (INR n * INR n)). nra.
      replace (L0 * L0 * 64 / (INR n * INR n) * (INR n * INR n)) with (64 * (L0 * L0)) by (field; lra).
      assert (L0 * L0 <= 4 * INR n * (4 * INR n)) by (apply Rmult_le_compat; lra). lra. }
    assert (Q : 10000 <= N * N) by nra. pose proof (Rinv_0_lt_compat (N * N) ltac:(lra)) as I.
    assert (B : c / (N * N) <= 1024 / 10000).
    { apply Rle_trans with (1024 / (N * N)). apply Rmult_le_compat_r; lra. apply Rmult_le_compat_l. lra. apply Rinv_le_contravar; lra. }
    destruct (Rle_dec _ c) as [h | h]; [ | lra].
    assert (rho / 2 <= c / (N * N)). { apply (Rmult_le_reg_r (N * N)). lra. replace (c / (N * N) * (N * N)) with c by (field; nra). exact h. } lra.
  Qed.
  Let far s : Rabs s <= 4 -> 4999 / 10000 <= normal_cdf ((- 100 - Rabs s) / norm_noise rho L0 n).
  Proof.
    intros H. rewrite noise_is. set (x := (- 100 - Rabs s) / 1000000000000). pose proof (Rabs_pos s).
    assert (B : 0 <= - x <= 104 / 1000000000000) by (unfold x; lra).
    pose proof (normal_cdf_slow x (- x) ltac:(lra)) as T. replace (x + - x) with 0 in T by ring. rewrite normal_cdf_0 in T. nra.
  Qed.
  Let at_least s p : Rabs s <= 4 -> 0 <= p -> p <= normal_cdf (above + 4 - s) - normal_cdf (above - s) -> (p * (4999 / 10000)) ^ k <= shown s.
  Proof.
    intros S P0 P. apply Rle_trans with ((p * normal_cdf ((- 100 - Rabs s) / norm_noise rho L0 n)) ^ k).
    - apply pow_incr. split. lra. apply Rmult_le_compat_l; auto.
    - apply (chance_at_least s rho beta L0 above (above + 4) n rho0 noise0 step0 window log0 L0_0 n0 k (1 / 2) 100 p); auto; try lra.
      intros N H. split. now apply little. unfold within. rewrite step_is, Rmax_right by lra. now rewrite !Rdiv_1.
  Qed.
  Let upper_4 : 1 - normal_cdf 4 <= 16775 / 100000000.
  Proof. pose proof (normal_cdf_upper 4 ltac:(lra)) as U. rewrite normal_cdf_opp in U. assert (exp (- (4 * 4 / 2)) <= 3355 / 10000000) by interval. lra. Qed.
  Let at_most : shown below <= (181 / 1000000) ^ k.
  Proof.
    destruct (density_is below rho beta L0 above (above + 4) n noise0 step0 window) as [q I].
    apply Rle_trans with (q ^ k). now apply (chance_at_most below rho beta L0 above (above + 4) n rho0 noise0 step0 window log0 L0_0 n0).
    replace (above + 4) with (below + 8) in I by lra. replace above with (below + 4) in I by lra.
    unfold within in I. replace (below + 8 - below) with 8 in I by ring. replace (below + 4 - below) with 4 in I by ring.
    apply pow_incr. split.
    - refine (integral_pos _ _ _ I). intros a. apply Rmult_le_pos. 2: left; now apply normal_positive.
      enough (normal_cdf (4 / step_noise rho beta L0 n (Rabs below + a)) <= normal_cdf (8 / step_noise rho beta L0 n (Rabs below + a))) by lra.
      apply normal_cdf_le. apply Rmult_le_compat_r. left. now apply Rinv_0_lt_compat. lra.
    - set (s := norm_noise rho L0 n) in *.
      pose proof (normal_before 0 s 7999998 noise0) as B1. pose proof (normal_before 0 s 4 noise0) as B2. unfold probability in B1, B2.
      pose proof (integral_plus _ _ _ _ (integral_scal _ (17275 / 100000000) _ (normal_integral 0 s noise0)) (integral_minus _ _ _ _ B1 B2)) as J.
      assert (C : normal_cdf ((7999998 - 0) / s) - normal_cdf ((4 - 0) / s) <= 8 / 1000000 + 1 / 10000000).
      { rewrite noise_is. pose proof (normal_cdf_slow ((4 - 0) / 1000000000000) (7999994 / 1000000000000) ltac:(lra)) as T.
        replace ((4 - 0) / 1000000000000 + 7999994 / 1000000000000) with ((7999998 - 0) / 1000000000000) in T by field. lra. }
      refine (Rle_trans _ _ _ (integral_le _ _ _ _ _ I J) _). 2: lra.
      intros a. cbv beta. rewrite step_is. pose proof (normal_positive 0 s a noise0) as N0. unfold restricted, before.
      pose proof (Rabs_pos below) as b0.
      destruct (Rlt_dec a 4) as [h | h].
      + destruct (Rlt_dec a 7999998); try lra. rewrite Rmax_right by lra.
        pose proof (normal_cdf_bounds (8 / 1)). replace (4 / 1) with 4 by field. nra.
      + destruct (Rlt_dec a 7999998) as [l | l].
        * pose proof (normal_cdf_bounds (8 / Rmax ((Rabs below + a) / 8) 1)). pose proof (normal_cdf_bounds (4 / Rmax ((Rabs below + a) / 8) 1)). nra.
        * rewrite Rmax_left by lra. set (t := (Rabs below + a) / 8). assert (T : 900000 <= t) by (unfold t; lra).
          assert (F : 0 < 4 / t <= 4 / 900000). { split. apply Rdiv_lt_0_compat; lra. apply Rmult_le_compat_l. lra. apply Rinv_le_contravar; lra. }
          pose proof (normal_cdf_slow (4 / t) (4 / t) ltac:(lra)) as W. replace (4 / t + 4 / t) with (8 / t) in W by (field; lra).
          assert (4 / t * (4 / t) <= 4 / 900000 * (4 / 900000)) by (apply Rmult_le_compat; lra).
          assert (normal_cdf (8 / t) - normal_cdf (4 / t) <= 17275 / 100000000) by lra. nra.
  Qed.
  Theorem short_steps_refute {D} (neighbours : D -> D -> Prop) (slope : D -> R -> R) L1 rounds w d d' : 0 < L1 -> (k < rounds)%nat ->
    neighbours d d' -> slope d = (fun _ => above) -> slope d' = (fun _ => below) ->
    ~ concentrated neighbours rho (fun data => adaptive (slope data) rho beta L0 L1 n rounds 0 w).
  Proof.
    intros L K N Sd Sd'.
    destruct (run_probability above rho beta L0 L1 above (above + 4) n rho0 L noise0 step0 window log0 L0_0 n0 k rounds w K) as [P1 P2].
    destruct (run_probability below rho beta L0 L1 above (above + 4) n rho0 L noise0 step0 window log0 L0_0 n0 k rounds w K) as [Q1 Q2].
    rewrite <- Sd in P1, P2. rewrite <- Sd' in Q1, Q2. fold (shown above) in P1, P2. fold (shown below) in Q1, Q2.
    assert (a1 : (4998 / 10000 * (4999 / 10000)) ^ k <= shown above).
    { apply at_least; auto. lra. replace (above + 4 - above) with 4 by ring. replace (above - above) with 0 by ring. rewrite normal_cdf_0. lra. }
    assert (b0 : 0 < normal_cdf (above + 4 - below) - normal_cdf (above - below)).
    { enough (normal_cdf (above - below) < normal_cdf (above + 4 - below)) by lra. apply normal_cdf_increasing. lra. }
    assert (b1 : ((normal_cdf (above + 4 - below) - normal_cdf (above - below)) * (4999 / 10000)) ^ k <= shown below) by (apply at_least; auto; lra).
    assert (c0 : 0 < shown below) by (apply Rlt_le_trans with (2 := b1); apply pow_lt; lra).
    assert (d0 : 0 < (4998 / 10000 * (4999 / 10000)) ^ k) by (apply pow_lt; lra).
    destruct (chance_range above rho beta L0 above (above + 4) n rho0 noise0 step0 window log0 L0_0 n0 k) as [top _]. specialize (top 0). fold (shown above) in top.
    refine (event_refutes_concentrated _ rho _ d d' 2 _ _ _ _ _ N ltac:(lra) P1 Q1 P2 Q2 _ c0 _ _); try lra.
    assert (e1 : ln ((4998 / 10000 * (4999 / 10000)) ^ k) <= ln (shown above)) by now apply ln_le.
    assert (e2 : ln (shown below) <= ln ((181 / 1000000) ^ k)) by now apply ln_le.
    rewrite ln_pow in e1, e2 by lra.
    assert (e3 : 58 / 10 <= 2 * ln (4998 / 10000 * (4999 / 10000)) - ln (181 / 1000000)) by interval.
    pose proof (pos_INR k). assert (INR k * (58 / 10) <= INR k * (2 * ln (4998 / 10000 * (4999 / 10000)) - ln (181 / 1000000))) by (apply Rmult_le_compat_l; auto). lra.
  Qed.
End Rounds.

(** ** The refutations *)

(** One record has the slope L0 or - L0, the others are constant. *)
Definition mostly_constant (G : R) (z : option bool) (x : R) : R := match z with Some b => linear_loss G b x | None => 0 end.
Definition turned (n : nat) (b : bool) : list (option bool) := Some b :: repeat None (n - 1).
Lemma mostly_constant_differentiable G : differentiable (mostly_constant G) (null_slope (linear_slope G)).
Proof. intros [b | ] x. apply linear_differentiable. unfold mostly_constant, null_slope. auto_derive; auto. Qed.
Lemma mostly_constant_lipschitz G : 0 <= G -> lipschitz (mostly_constant G) G.
Proof.
  intros H [b | ] x y. now apply linear_lipschitz. unfold mostly_constant. rewrite Rminus_0_r, Rabs_R0.
  apply Rmult_le_pos; auto. apply Rabs_pos.
Qed.
Lemma mostly_constant_smooth G L : 0 <= L -> smooth (null_slope (linear_slope G)) L.
Proof.
  intros H [b | ] x y. now apply linear_smooth. unfold null_slope. rewrite Rminus_0_r, Rabs_R0.
  apply Rmult_le_pos; auto. apply Rabs_pos.
Qed.
Lemma turned_neighbours n : (1 <= n)%nat -> neighbours_of_size n (turned n true) (turned n false).
Proof.
  intros H. split. simpl. rewrite repeat_length. lia. exists [], (Some true), (Some false), (repeat None (n - 1)). split; reflexivity.
Qed.
Lemma slope_of_mean data G g : (forall x, mean (fun z => null_slope (linear_slope G) z x) data = g) ->
  (fun x => mean (fun z => null_slope (linear_slope G) z x) data) = (fun _ => g).
Proof. intros H. now apply FunctionalExtensionality.functional_extensionality. Qed.
(** Six rounds at rho = 16. *)
Theorem theorem_3_is_false : ~ theorem_3.
Proof.
  intros H. assert (E : exists n, INR n = 1000000000000 * 1000000000000).
  { exists (10 ^ 24)%nat. rewrite pow_INR. simpl. ring. }
  destruct E as (n & E). assert (n1 : (1 <= n)%nat) by (apply INR_le; rewrite E; simpl; lra). pose proof (INR_pos n n1) as N.
  assert (S : sqrt 16 = 4) by (replace 16 with (4 * 4) by ring; apply sqrt_square; lra). pose proof (exp_pos 64) as X.
  apply (short_steps_refute 16 (INR n * 4 / exp 64) (2 * INR n) 2 (- 2) n 6) with (neighbours := neighbours_of_size n) (w := 0)
    (slope := fun data x => mean (fun z => null_slope (linear_slope (2 * INR n)) z x) data) (L1 := 1) (rounds := (2 * n + 7)%nat)
    (d := turned n true) (d' := turned n false); try lra; try lia; auto.
  - unfold logarithm. rewrite S. replace (INR n * 4 / (INR n * 4 / exp 64)) with (exp 64) by (field; lra). apply ln_exp.
  - unfold norm_noise. rewrite S. replace 4 with (2 * 2) by ring. rewrite sqrt_square by lra. rewrite E, sqrt_square by lra. field.
  - rewrite S. field. lra.
  - rewrite S, E. lra.
  - rewrite Rabs_pos_eq; lra.
  - rewrite Rabs_left; lra.
  - simpl. lra.
  - simpl. lra.
  - now apply turned_neighbours.
  - apply slope_of_mean. intros x. unfold turned. rewrite mean_nulls by auto. unfold null_slope, linear_slope, sign. field. lra.
  - apply slope_of_mean. intros x. unfold turned. rewrite mean_nulls by auto. unfold null_slope, linear_slope, sign. field. lra.
  - apply (H (option bool) (mostly_constant (2 * INR n)) (null_slope (linear_slope (2 * INR n)))); try lra; auto.
    + apply mostly_constant_differentiable.
    + apply mostly_constant_lipschitz. lra.
    + apply mostly_constant_smooth. lra.
    + split. apply Rdiv_lt_0_compat; lra. rewrite E. interval.
    + rewrite S. assert (1 < exp 64) by interval. apply (Rmult_lt_reg_r (exp 64)); auto.
      replace (INR n * 4 / exp 64 * exp 64) with (INR n * 4) by (field; lra). nra.
    + rewrite S, plus_INR, mult_INR. simpl (INR 2). simpl (INR 7). lra.
Qed.
(** Twenty-three rounds at rho = 64. *)
Theorem theorem_3_is_false_for_null_records : ~ theorem_3_zero_out.
Proof.
  intros H. assert (E : exists n, INR n = 1000000000000 * 1000000000000 / 2).
  { exists (5 * 10 ^ 23)%nat. rewrite mult_INR, pow_INR. simpl. field. }
  destruct E as (n & E). assert (n1 : (1 <= n)%nat) by (apply INR_le; rewrite E; simpl; lra). pose proof (INR_pos n n1) as N.
  assert (S : sqrt 64 = 8) by (replace 64 with (8 * 8) by ring; apply sqrt_square; lra). pose proof (exp_pos 64) as X.
  apply (short_steps_refute 64 (INR n * 8 / exp 64) (4 * INR n) 4 0 n 23) with (neighbours := zero_out n) (w := 0)
    (slope := fun data x => mean (fun z => null_slope (linear_slope (4 * INR n)) z x) data) (L1 := 1) (rounds := (4 * n + 24)%nat)
    (d := turned n true) (d' := no_record n); try lra; try lia; auto.
  - unfold logarithm. rewrite S. replace (INR n * 8 / (INR n * 8 / exp 64)) with (exp 64) by (field; lra). apply ln_exp.
  - unfold norm_noise. rewrite S. replace (sqrt (INR n) * sqrt 8) with (2 * sqrt (2 * INR n)).
    + rewrite E. replace (2 * (1000000000000 * 1000000000000 / 2)) with (1000000000000 * 1000000000000) by field. rewrite sqrt_square by lra. field.
    + rewrite <- sqrt_mult by lra. replace (INR n * 8) with (2 * 2 * (2 * INR n)) by ring. rewrite (sqrt_mult (2 * 2)) by lra. now rewrite sqrt_square by lra.
  - rewrite S. field. lra.
  - rewrite S, E. lra.
  - rewrite Rabs_pos_eq; lra.
  - rewrite Rabs_R0; lra.
  - simpl. lra.
  - simpl. lra.
  - split. simpl. rewrite repeat_length. lia. exists [], true, (repeat None (n - 1)). split; reflexivity.
  - apply slope_of_mean. intros x. unfold turned. rewrite mean_nulls by auto. unfold null_slope, linear_slope, sign. field. lra.
  - apply slope_of_mean. intros x. unfold no_record. rewrite mean_nulls by auto. unfold null_slope. field. lra.
  - apply (H bool (linear_loss (4 * INR n)) (linear_slope (4 * INR n))); try lra; auto.
    + apply linear_differentiable.
    + apply linear_lipschitz. lra.
    + apply linear_smooth. lra.
    + split. apply Rdiv_lt_0_compat; lra. rewrite E. interval.
    + rewrite S. assert (1 < exp 64) by interval. apply (Rmult_lt_reg_r (exp 64)); auto.
      replace (INR n * 8 / exp 64 * exp 64) with (INR n * 8) by (field; lra). nra.
    + rewrite S, plus_INR, mult_INR. simpl (INR 4). simpl (INR 24). lra.
Qed.
