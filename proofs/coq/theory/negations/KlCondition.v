(** * Non-convex risk under the KL condition: Theorem 1 is false under replace-one

    The witness for [theorem_1] of KlSpider.v: rho = 1/100, n = 10^5 records, gamma = L0 = L1 = 1, beta = 1/20, w0 = 0 and
    F0 = e^(1/65) / (n^2 rho), at which the printed number of rounds is exactly 1.  One record is linear, +w or -w; the
    others are (w - c)^2 / 2, with c such that the two mean gradients at 0 lie 1/n on either side of the threshold of the
    second step.  Both data sets meet every hypothesis of Theorem 1. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses KlSpider.
Import ListNotations.
Open Scope R_scope.

Definition public_loss (c : R) (z : option bool) (w : R) : R :=
  match z with Some b => sign b * w | None => (w - c) * (w - c) / 2 end.
Definition public_slope (c : R) (z : option bool) (w : R) : R := match z with Some b => sign b | None => w - c end.
Definition with_record (b : bool) (n : nat) : list (option bool) := Some b :: repeat None (n - 1).
Lemma with_record_neighbours n : (2 <= n)%nat -> neighbours_of_size n (with_record true n) (with_record false n).
Proof.
  intros H. split. simpl. rewrite repeat_length. lia. exists [], (Some true), (Some false), (repeat None (n - 1)). split; reflexivity.
Qed.
Definition curvature (n : nat) : R := (INR n - 1) / INR n.

Section Quadratic.
  Variables (n : nat) (c : R).
  Hypothesis n2 : (2 <= n)%nat.
  Let N2 : 2 <= INR n. Proof. apply (le_INR 2). lia. Qed.
  Let h := curvature n.
  Lemma curvature_range : 1 / 2 <= h < 1.
  Proof.
    unfold h, curvature. split; [apply (Rmult_le_reg_r (INR n)) | apply (Rmult_lt_reg_r (INR n))]; try lra;
      replace ((INR n - 1) / INR n * INR n) with (INR n - 1) by (field; lra); lra.
  Qed.
  Lemma mean_with_record b (k : option bool -> R) : mean k (with_record b n) = k (Some b) / INR n + h * k None.
  Proof.
    unfold mean, with_record. simpl Finite.sum_over. rewrite sum_over_repeat. simpl length. rewrite repeat_length.
    replace (S (n - 1)) with n by lia. rewrite minus_INR by lia. simpl (INR 1). unfold h, curvature. field. lra.
  Qed.
  Lemma slope_with_record b w : slope_of (public_slope c) (with_record b n) w = sign b / INR n + h * (w - c).
  Proof. unfold slope_of. now rewrite mean_with_record. Qed.
  Lemma sign_square b : sign b * sign b = 1. Proof. destruct b; unfold sign; lra. Qed.
  (** The hypotheses of Theorem 1, for gamma = L0 = L1 = 1 and w0 = 0. *)
  Lemma quadratic_admissible b F0 radius : (sign b / INR n - h * c) * (sign b / INR n - h * c) / (2 * h) <= F0 -> 0 <= radius -> Rabs c + radius <= 1 ->
    admissible (public_loss c) (public_slope c) 1 1 1 F0 0 radius (with_record b n).
  Proof.
    intros F R C. pose proof curvature_range as H. split; [ | split; [ | split]].
    - intros [b' | ] w _; unfold public_loss, public_slope; auto_derive; auto. ring. field.
    - intros [b' | ] w _ W; unfold public_slope. destruct b'; unfold sign. rewrite Rabs_R1; lra. rewrite Rabs_left; lra.
      unfold within in W. rewrite Rminus_0_r in W. apply Rle_trans with (Rabs w + Rabs (- c)). apply Rabs_triang. rewrite Rabs_Ropp. lra.
    - intros [b' | ] w w' _; unfold public_slope. rewrite Rminus_eq_0, Rabs_R0, Rmult_1_l. apply Rabs_pos.
      right. rewrite Rmult_1_l. f_equal. ring.
    - exists (sign b * c / INR n - 1 / (2 * (INR n * INR n) * h)).
      assert (E : forall w, risk (public_loss c) (with_record b n) w - (sign b * c / INR n - 1 / (2 * (INR n * INR n) * h))
        = (sign b / INR n + h * (w - c)) * (sign b / INR n + h * (w - c)) / (2 * h)).
      { intros w. unfold risk. rewrite mean_with_record. unfold public_loss.
        replace (1 / (2 * (INR n * INR n) * h)) with (sign b * sign b / (2 * (INR n * INR n) * h)) by (now rewrite sign_square).
        field. lra. }
      assert (B : forall y, 0 <= y * y / (2 * h) <= y * y).
      { intros y. pose proof (Rle_0_sqr y) as Q. unfold Rsqr in Q. split. apply Rdiv_le_0_compat; lra.
        apply (Rmult_le_reg_r (2 * h)). lra. replace (y * y / (2 * h) * (2 * h)) with (y * y) by (field; lra). nra. }
      split; [ | split].
      + intros w. specialize (E w). pose proof (B (sign b / INR n + h * (w - c))). lra.
      + rewrite E. replace (sign b / INR n + h * (0 - c)) with (sign b / INR n - h * c) by ring. exact F.
      + intros w. rewrite E, slope_with_record. replace (1 * 1 * _) with ((sign b / INR n + h * (w - c)) * (sign b / INR n + h * (w - c))) by ring. apply B.
  Qed.
End Quadratic.

(** ** The numbers *)

Definition records : nat := 10 ^ 5.
Definition bound : R := exp (1 / 65) / 10 ^ 8.
Definition step_scale : R := exp (1 / 130) / 10 ^ 4.
Definition public_centre : R := - ((7 / 8 + curvature records / 4) * step_scale / curvature records).
Lemma records_number : INR records = 100000. Proof. unfold records. rewrite pow_INR. simpl. lra. Qed.
Lemma records_many : (2 <= records)%nat.
Proof. apply INR_le. rewrite records_number. simpl. lra. Qed.
Lemma root_number : sqrt (1 / 100) = 1 / 10.
Proof. replace (1 / 100) with (1 / 10 * (1 / 10)) by field. apply sqrt_square. lra. Qed.
Lemma bound_root : sqrt bound = step_scale.
Proof.
  replace bound with (step_scale * step_scale). apply sqrt_square. unfold step_scale. apply Rdiv_le_0_compat; [left; apply exp_pos | lra].
  unfold step_scale, bound. replace (1 / 65) with (1 / 130 + 1 / 130) by field. rewrite exp_plus. field.
Qed.
Lemma one_round : rounds (1 / 100) bound 1 1 1 records = 1.
Proof.
  unfold rounds. rewrite records_number, root_number. replace (100000 * (1 / 10) / (1 * 1)) with (10 ^ 4) by field.
  unfold bound. rewrite ln_div, ln_exp by (try apply exp_pos; lra).
  replace (10 ^ 8) with (10 ^ 4 * 10 ^ 4) by ring. rewrite ln_mult by lra. field.
Qed.
Lemma step_scale_range : 1 / 10000 <= step_scale <= 101 / 1000000.
Proof. unfold step_scale. split; interval. Qed.
Lemma level_stays : next_level (1 / 100) (1 / 20) bound 1 1 1 records bound = bound.
Proof.
  unfold next_level. assert (B : 0 < bound) by (apply Rdiv_lt_0_compat; [apply exp_pos | lra]).
  rewrite Rmin_right.
  - apply Rmax_right. apply (Rmult_le_reg_r (decrease 1 1)). unfold decrease; lra.
    replace (bound / decrease 1 1 * decrease 1 1) with bound by (field; unfold decrease; lra).
    rewrite <- (Rmult_1_r bound) at 1. apply Rmult_le_compat_l. lra. unfold decrease. lra.
  - unfold level_floor. rewrite one_round, records_number, root_number. unfold bound. interval.
Qed.

Theorem theorem_1_is_false : ~ theorem_1.
Proof.
  intros T. pose proof records_many as n2. pose proof records_number as RN. pose proof step_scale_range as SR.
  pose proof (curvature_range records n2) as H. set (h := curvature records) in *. set (c := public_centre).
  assert (hc : - (h * c) = (7 / 8 + h / 4) * step_scale) by (unfold c, public_centre; fold h; field; lra).
  assert (F0 : bound = step_scale * step_scale).
  { rewrite <- bound_root. symmetry. apply sqrt_sqrt. left. apply Rdiv_lt_0_compat; [apply exp_pos | lra]. }
  assert (noise : full_noise (1 / 100) bound 1 1 1 records = 1 / 10000).
  { unfold full_noise. rewrite one_round, sqrt_1, RN, root_number. field. }
  assert (inner : sqrt bound * sqrt (rounds (1 / 100) bound 1 1 1 records) / (1 * (INR records * sqrt (1 / 100))) = step_scale / 10000).
  { rewrite bound_root, one_round, sqrt_1, RN, root_number. field. }
  specialize (T (option bool) (public_loss c) (public_slope c) (1 / 100) (1 / 20) 0 bound 1 1 1 records 1%nat
    ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(nra) ltac:(lia) one_round).
  assert (P : forall b, exists P,
    probability_is (spider (slope_of (public_slope c) (with_record b records)) (1 / 100) (1 / 20) 0 bound 1 1 1 records 1) negative_output P /\
    probability_is (spider (slope_of (public_slope c) (with_record b records)) (1 / 100) (1 / 20) 0 bound 1 1 1 records 1)
      (fun w => negb (negative_output w)) (1 - P) /\
    normal_cdf (1 / (1000 * step_scale)) * normal_cdf (sign b / 10 - 1 / 1000) <= P /\
    P <= normal_cdf (sign b / 10 + 1 / 1000) + 2 * normal_cdf (- (1 / (1000 * step_scale)))).
  { intros b. set (x := sign b / INR records).
    assert (E : slope_of (public_slope c) (with_record b records) = fun w => x + h * (w - c)).
    { apply FunctionalExtensionality.functional_extensionality. intros w. apply slope_with_record. exact n2. }
    destruct (round_probability h c x (1 / 100) bound step_scale (1 / 10000) (step_scale / 10000) (1 / 10000000) records
      ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) bound_root inner) as (P & A & B & C & D).
    assert (centre : 7 / 8 * step_scale + h * step_scale / 4 - (x + h * (0 - c)) = - (sign b / 100000)).
    { unfold x. rewrite RN. replace (h * (0 - c)) with (- (h * c)) by ring. rewrite hc. field. }
    rewrite centre in C, D. exists P. unfold spider, spider_rounds. rewrite E, noise, level_stays.
    replace (1 / 10000000 / (step_scale / 10000)) with (1 / (1000 * step_scale)) in C, D by (field; lra).
    replace (- (- (sign b / 100000) + 1 / 10000000) / (1 / 10000)) with (sign b / 10 - 1 / 1000) in C by field.
    replace (- (- (sign b / 100000) - 1 / 10000000) / (1 / 10000)) with (sign b / 10 + 1 / 1000) in D by field.
    repeat split; assumption. }
  destruct (P true) as (p & A1 & A2 & A3 & A4). destruct (P false) as (r & B1 & B2 & B3 & B4). unfold sign in A3, A4, B3, B4.
  (* the second threshold is passed but for a tail of nine standard deviations *)
  assert (big : 9 <= 1 / (1000 * step_scale)).
  { apply (Rmult_le_reg_r (1000 * step_scale)). lra. replace (1 / (1000 * step_scale) * (1000 * step_scale)) with 1 by (field; lra). lra. }
  assert (tail : normal_cdf (- (1 / (1000 * step_scale))) <= / 1000000).
  { apply Rle_trans with (normal_cdf (- (9))). apply normal_cdf_le; lra. apply Rle_trans with (1 := normal_cdf_upper 9 ltac:(lra)). interval. }
  pose proof (normal_cdf_opp (1 / (1000 * step_scale))) as opp.
  assert (mid : 393 / 10000 <= normal_cdf (99 / 1000) - 1 / 2 <= 396 / 10000).
  { rewrite <- normal_cdf_0. destruct (MVT_gen normal_cdf 0 (99 / 1000) bell) as (z & Z & ->).
    - intros; apply is_derive_normal_cdf.
    - intros. apply continuity_pt_filterlim, (ex_derive_continuous normal_cdf). eexists; apply is_derive_normal_cdf.
    - rewrite Rmin_left, Rmax_right in Z by lra. rewrite bell_formula. rewrite Rminus_0_r. split; interval. }
  assert (up : normal_cdf (1 / 10 + 1 / 1000) <= 6 / 10).
  { destruct (MVT_gen normal_cdf 0 (101 / 1000) bell) as (z & Z & V).
    - intros; apply is_derive_normal_cdf.
    - intros. apply continuity_pt_filterlim, (ex_derive_continuous normal_cdf). eexists; apply is_derive_normal_cdf.
    - rewrite Rmin_left, Rmax_right in Z by lra. rewrite bell_formula, normal_cdf_0 in V.
      assert (exp (- (z * z / 2)) / sqrt (2 * PI) * (101 / 1000 - 0) <= 1 / 10) by interval.
      replace (1 / 10 + 1 / 1000) with (101 / 1000) by field. lra. }
  pose proof (normal_cdf_opp (99 / 1000)) as mirror. pose proof (normal_cdf_bounds (-1 / 10 - 1 / 1000)) as low.
  replace (1 / 10 - 1 / 1000) with (99 / 1000) in A3 by field. replace (-1 / 10 + 1 / 1000) with (- (99 / 1000)) in B4 by field.
  rewrite mirror in B4.
  assert (p1 : 1 / 2 + 392 / 10000 <= p).
  { apply Rle_trans with (2 := A3). nra. }
  assert (r0 : 0 < r). { apply Rlt_le_trans with (2 := B3). apply Rmult_lt_0_compat; lra. }
  refine (two_cells_refute _ (1 / 100) _ (with_record true records) (with_record false records) negative_output p r _ A1 B1 A2 B2 _ _ _ _ T); try lra.
  - assert (radius : 0 <= INR 1 * sqrt bound / (4 * 1 * 1) <= 1 / 10000).
    { rewrite bound_root. simpl (INR 1). lra. }
    assert (cb : Rabs c <= 1 / 1000).
    { apply Rabs_le. assert (h * -(1 / 1000) <= h * c <= h * (1 / 1000)) as [X Y] by nra.
      split; apply (Rmult_le_reg_l h); lra. }
    assert (start : forall b, (sign b / INR records - curvature records * c) * (sign b / INR records - curvature records * c)
      / (2 * curvature records) <= bound).
    { intros b. fold h. rewrite F0, RN. apply (Rmult_le_reg_r (2 * h)). lra. set (y := sign b / 100000 - h * c).
      assert (h9 : 99 / 100 <= h).
      { unfold h, curvature. rewrite RN. lra. }
      assert (Y : 0 <= y <= 13 / 10 * step_scale).
      { unfold y. assert (- (1 / 100000) <= sign b / 100000 <= 1 / 100000) by (unfold sign; destruct b; lra).
        assert (7 / 8 * step_scale <= (7 / 8 + h / 4) * step_scale <= 9 / 8 * step_scale) by (split; apply Rmult_le_compat_r; lra). lra. }
      replace (y * y / (2 * h) * (2 * h)) with (y * y) by (field; lra).
      apply Rle_trans with (13 / 10 * step_scale * (13 / 10 * step_scale)). apply Rmult_le_compat; lra.
      assert (0 < step_scale * step_scale) by nra. nra. }
    split; [ | split].
    + now apply with_record_neighbours.
    + apply quadratic_admissible; auto; try lra.
    + apply quadratic_admissible; auto; try lra.
  - assert (E2 : exp (2 * (1 / 100)) <= 10203 / 10000) by interval.
    assert (784 / 10000 <= p - r) by lra. assert (784 / 10000 * (784 / 10000) <= (p - r) * (p - r)) by (apply Rmult_le_compat; lra). lra.
Qed.
