(* Numbers for erfc at a point, cheaply.  For x >= 0
     int_0^x e^(-t^2) dt = x e^(-x^2) (1 + 2 x^2 / 3 (1 + 2 x^2 / 5 (1 + ...)))
   and all terms are positive: cut off after n terms, the remainder lies between 1 and k / (k - 2 x^2), k = 2 n + 1.
   The tactic `erfc_at n x prec` replaces erfc x (x a constant expression, of either sign) in the goal by a number of
   which both bounds are known, and `erfc_numbers n prec` does so for every erfc of the goal and then calls interval. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Improper Erfc.
Open Scope R_scope.

(* k e^(x^2) x^(-k) int_0^x t^(k-1) e^(-t^2) dt for odd k, with y = x^2, from its value `last` at k + 2 n *)
Fixpoint erf_tail (last : Z -> R) (n : nat) (k : Z) (y : R) : R :=
  match n with O => last k | S n => 1 + 2 * y / IZR (k + 2) * erf_tail last n (k + 2) y end.
Definition erf_lower (n : nat) (y : R) : R := erf_tail (fun _ => 1) n 1 y.
Definition erf_upper (n : nat) (y : R) : R := erf_tail (fun k => IZR k / (IZR k - 2 * y)) n 1 y.

Definition power_integral (m : nat) (x : R) : R := RInt (fun t => t ^ (2 * m) * exp (- (t * t))) 0 x.
Lemma continuous_power m x : continuous (fun t => t ^ (2 * m) * exp (- (t * t))) x.
Proof. apply (ex_derive_continuous (fun t => t ^ (2 * m) * exp (- (t * t)))). auto_derive. auto. Qed.
Lemma integrable_power m a b : ex_RInt (fun t => t ^ (2 * m) * exp (- (t * t))) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply continuous_power. Qed.
Lemma even_power_pos t m : 0 <= t ^ (2 * m).
Proof. rewrite pow_mult. apply pow_le. apply pow2_ge_0. Qed.
(* by parts *)
Lemma power_integral_step m x : INR (2 * m + 1) * power_integral m x
  = x ^ (2 * m + 1) * exp (- (x * x)) + 2 * power_integral (S m) x.
Proof.
  set (g := fun t => t ^ (2 * m + 1) * exp (- (t * t))).
  set (dg := fun t => INR (2 * m + 1) * (t ^ (2 * m) * exp (- (t * t))) - 2 * (t ^ (2 * S m) * exp (- (t * t)))).
  assert (D : forall t, is_derive g t (dg t)).
  { intros t. unfold g, dg. replace (2 * S m)%nat with (S (S (2 * m))) by lia.
    replace (2 * m + 1)%nat with (S (2 * m)) by lia. generalize (2 * m)%nat. intros j. auto_derive. auto.
    rewrite S_INR. simpl. destruct j; simpl; ring. }
  assert (E : is_RInt dg 0 x (minus (g x) (g 0))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule)). intros; apply D.
    intros t _. apply (ex_derive_continuous dg). unfold dg. auto_derive. auto. }
  assert (F : is_RInt dg 0 x (minus (scal (INR (2 * m + 1)) (power_integral m x)) (scal 2 (power_integral (S m) x)))).
  { apply (is_RInt_minus (V := R_NormedModule)); apply (is_RInt_scal (V := R_NormedModule)).
    - apply (RInt_correct (fun t => t ^ (2 * m) * exp (- (t * t)))), integrable_power.
    - apply (RInt_correct (fun t => t ^ (2 * S m) * exp (- (t * t)))), integrable_power. }
  pose proof (eq_trans (eq_sym (is_RInt_unique _ _ _ _ E)) (is_RInt_unique _ _ _ _ F)) as G.
  change (g x + - g 0 = INR (2 * m + 1) * power_integral m x + - (2 * power_integral (S m) x)) in G.
  assert (Z : g 0 = 0) by (unfold g; rewrite pow_ne_zero by lia; ring).
  change (INR (2 * m + 1) * power_integral m x = g x + 2 * power_integral (S m) x). lra.
Qed.
Lemma power_integral_bound m x : 0 <= x -> 0 <= power_integral (S m) x <= x * x * power_integral m x.
Proof.
  intros X. assert (N : forall m t, 0 <= t ^ (2 * m) * exp (- (t * t))).
  { intros. apply Rmult_le_pos. apply even_power_pos. left; apply exp_pos. }
  split. apply RInt_ge_0; auto. apply integrable_power.
  change (RInt (fun t => t ^ (2 * S m) * exp (- (t * t))) 0 x
    <= scal (x * x) (RInt (fun t => t ^ (2 * m) * exp (- (t * t))) 0 x)).
  rewrite <- RInt_scal by apply integrable_power. apply RInt_le; auto. apply integrable_power.
  apply (ex_RInt_scal (V := R_NormedModule)). apply integrable_power.
  intros t T. unfold scal; simpl; unfold mult; simpl. replace (m + S (m + 0))%nat with (2 * m + 1)%nat by lia.
  replace (t * t ^ (2 * m + 1)) with (t * t * t ^ (2 * m)) by (rewrite pow_add; ring).
  rewrite Rmult_assoc. apply Rmult_le_compat_r. apply N. nra.
Qed.
(* the scaled integrals, which the Horner form evaluates *)
Lemma scaled_integral n : forall m x, 0 <= x -> 2 * (x * x) < INR (2 * (m + n) + 1) ->
  x ^ (2 * m + 1) * exp (- (x * x)) * erf_tail (fun _ => 1) n (Z.of_nat (2 * m + 1)) (x * x)
    <= INR (2 * m + 1) * power_integral m x
    <= x ^ (2 * m + 1) * exp (- (x * x))
      * erf_tail (fun k => IZR k / (IZR k - 2 * (x * x))) n (Z.of_nat (2 * m + 1)) (x * x).
Proof.
  induction n as [ | n IH]; intros m x X B.
  - cbn [erf_tail]. replace (m + 0)%nat with m in B by lia. rewrite <- INR_IZR_INZ.
    pose proof (power_integral_step m x) as P. pose proof (power_integral_bound m x X) as Q.
    set (k := INR (2 * m + 1)) in *. set (w := x ^ (2 * m + 1) * exp (- (x * x))) in *.
    split. lra. apply (Rmult_le_reg_r (k - 2 * (x * x))). lra.
    replace (w * (k / (k - 2 * (x * x))) * (k - 2 * (x * x))) with (k * w) by (field; lra).
    assert (K : 0 <= k) by apply pos_INR. set (J := power_integral m x) in *.
    assert (L : J * (k - 2 * (x * x)) <= w) by nra.
    pose proof (Rmult_le_compat_l k _ _ K L). lra.
  - specialize (IH (S m) x X). replace (S m + n)%nat with (m + S n)%nat in IH by lia. specialize (IH B).
    rewrite power_integral_step. cbn [erf_tail].
    replace (Z.of_nat (2 * m + 1) + 2)%Z with (Z.of_nat (2 * S m + 1)) by lia. rewrite <- INR_IZR_INZ.
    assert (K : 0 < INR (2 * S m + 1)) by (apply lt_0_INR; lia). set (k := INR (2 * S m + 1)) in *.
    set (lo := erf_tail (fun _ => 1) n _ _) in *. set (up := erf_tail (fun k => IZR k / _) n _ _) in *.
    set (J := power_integral (S m) x) in *.
    assert (W : x ^ (2 * S m + 1) = x ^ (2 * m + 1) * (x * x)).
    { replace (2 * S m + 1)%nat with (2 * m + 1 + 2)%nat by lia. rewrite pow_add. ring. }
    rewrite W in IH. set (w := x ^ (2 * m + 1)) in *. set (e := exp (- (x * x))) in *.
    assert (T : forall h, w * e * (1 + 2 * (x * x) / k * h) = w * e + 2 * / k * (w * (x * x) * e * h))
      by (intros; field; lra).
    rewrite !T. pose proof (Rinv_0_lt_compat _ K) as I.
    replace (2 * J) with (2 * / k * (k * J)) by (field; lra). split; nra.
Qed.
Theorem erf_integral_enclosed n x : 0 <= x -> 2 * (x * x) < IZR (Z.of_nat (2 * n + 1)) ->
  x * exp (- (x * x)) * erf_lower n (x * x) <= erf_integral x <= x * exp (- (x * x)) * erf_upper n (x * x).
Proof.
  intros X B. rewrite <- INR_IZR_INZ in B. pose proof (scaled_integral n 0 x X B) as H.
  change (Z.of_nat (2 * 0 + 1)) with 1%Z in H. simpl (2 * 0 + 1)%nat in H. rewrite pow_1 in H. simpl INR in H.
  replace (power_integral 0 x) with (erf_integral x) in H. unfold erf_lower, erf_upper. lra.
  apply RInt_ext. intros t _. simpl. ring.
Qed.
Theorem erfc_enclosed n x : 0 <= x -> 2 * (x * x) < IZR (Z.of_nat (2 * n + 1)) ->
  1 - 2 / sqrt PI * (x * exp (- (x * x)) * erf_upper n (x * x)) <= erfc x
    <= 1 - 2 / sqrt PI * (x * exp (- (x * x)) * erf_lower n (x * x)).
Proof.
  intros X B. rewrite erfc_alt. pose proof (erf_integral_enclosed n x X B) as H.
  assert (0 < 2 / sqrt PI) by (apply Rdiv_lt_0_compat; [lra | apply sqrt_PI_pos]). split; nra.
Qed.
Theorem erfc_enclosed_opp n x : x <= 0 -> 2 * (x * x) < IZR (Z.of_nat (2 * n + 1)) ->
  1 - 2 / sqrt PI * (x * exp (- (x * x)) * erf_lower n (x * x)) <= erfc x
    <= 1 - 2 / sqrt PI * (x * exp (- (x * x)) * erf_upper n (x * x)).
Proof.
  intros X B. pose proof (erfc_enclosed n (- x) ltac:(lra)) as H. rewrite erfc_opp in H.
  replace (- x * - x) with (x * x) in H by ring. specialize (H B).
  assert (E : forall h, 2 / sqrt PI * (- x * exp (- (x * x)) * h)
    = - (2 / sqrt PI * (x * exp (- (x * x)) * h))) by (intros; ring).
  rewrite !E in H. lra.
Qed.

(* n terms, prec bits; n must exceed x^2, and the enclosure is as tight as n and prec allow *)
Ltac erfc_at n x prec :=
  let H := fresh in let L := fresh in let U := fresh in let e := fresh "e" in let B := fresh "B" in
  let side := cbv [Z.of_nat Nat.add Nat.mul Pos.of_succ_nat Pos.succ]; interval in
  first [ assert (H := erfc_enclosed n x ltac:(interval) ltac:(side))
        | assert (H := erfc_enclosed_opp n x ltac:(interval) ltac:(side)) ];
  cbv beta iota delta [erf_upper erf_lower erf_tail Z.add Pos.add Pos.succ Pos.add_carry] in H;
  lazymatch type of H with ?l <= _ <= ?u =>
    interval_intro l lower with (i_prec prec) as L; interval_intro u upper with (i_prec prec) as U end;
  assert (B := conj (Rle_trans _ _ _ L (proj1 H)) (Rle_trans _ _ _ (proj2 H) U));
  clear H L U; revert B; generalize (erfc x); intros e B.
Ltac erfc_numbers n prec :=
  repeat match goal with |- context [erfc ?x] => erfc_at n x prec end;
  repeat match goal with |- _ /\ _ => split end; interval with (i_prec prec).
