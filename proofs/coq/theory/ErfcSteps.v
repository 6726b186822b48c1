(* Claims about erfc, proved by hand where interval arithmetic alone does not reach
   Each theorem is a claim of a certificate in the words of its translator, whose proof takes it from here; a
     theorem of
   another statement is refused.  Here: witnesses of dp-erm-revisited/P76 with exp(100000), which only bounds of erfc
   bring back into reach, and private-online-frank-wolfe/PO-12, a curve on a box. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Points.
Open Scope R_scope.

(* ---------- far beyond what can be computed: exp(100000) ---------- *)
Lemma far_curve eps u v : u <= 0 -> eps + 2 <= v * v -> 0 <= v -> 1 / 2 * erfc v * exp eps <= 1 / 10 /\ 1 <= erfc u.
Proof.
  intros U V P. split.
  - apply Rle_trans with (1 / 2 * exp (-2)). 2: interval with (i_prec 60).
  rewrite Rmult_assoc. apply Rmult_le_compat_l. lra.
    apply Rle_trans with (exp (- (v * v)) * exp eps).
    apply Rmult_le_compat_r. left; apply exp_pos. now apply erfc_le_exp.
    rewrite <- exp_plus. apply exp_le. lra.
  - rewrite <- erfc_0. destruct U as [U | ->]. left. now apply erfc_decreasing. lra.
Qed.
Definition loss_gap c Lambda eps := / Lambda * / c * eps ^ 2.
Lemma far_place : 0 < loss_gap 3080 (23 / 2) 100000 /\
  1 / 2 * sqrt 2 * (-1 / 2 * sqrt 3 * sqrt (loss_gap 3080 (23 / 2) 100000)
    + 1 / 3 * 100000 * sqrt 3 * / sqrt (loss_gap 3080 (23 / 2) 100000)) <= 0 /\
  0 <= 1 / 2 * sqrt 2 * (1 / 2 * sqrt 3 * sqrt (loss_gap 3080 (23 / 2) 100000)
    + 1 / 3 * 100000 * sqrt 3 * / sqrt (loss_gap 3080 (23 / 2) 100000)) /\
  100000 + 2 <= (1 / 2 * sqrt 2 * (1 / 2 * sqrt 3 * sqrt (loss_gap 3080 (23 / 2) 100000)
    + 1 / 3 * 100000 * sqrt 3 * / sqrt (loss_gap 3080 (23 / 2) 100000))) *
   (1 / 2 * sqrt 2 * (1 / 2 * sqrt 3 * sqrt (loss_gap 3080 (23 / 2) 100000)
    + 1 / 3 * 100000 * sqrt 3 * / sqrt (loss_gap 3080 (23 / 2) 100000))).
Proof. unfold loss_gap. repeat split; interval with (i_prec 60). Qed.
Theorem far_refuted_1 : exists c Lambda eps : R, 0 < c /\ 0 < Lambda /\ 0 < eps /\ 0 <= 2 /\ 0 <= 3 /\ Lambda <> 0
  /\ c <> 0 /\ 0 <= / Lambda * / c * eps ^ 2 /\ 0 < / Lambda * / c * eps ^ 2
  /\ ~ 0 <= -1 / 2 * erfc (1 / 2 * sqrt 2 * (-1 / 2 * sqrt 3 * sqrt (/ Lambda * / c * eps ^ 2)
         + 1 / 3 * eps * sqrt 3 * / sqrt (/ Lambda * / c * eps ^ 2)))
       + 1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * sqrt 3 * sqrt (/ Lambda * / c * eps ^ 2)
         + 1 / 3 * eps * sqrt 3 * / sqrt (/ Lambda * / c * eps ^ 2))) * exp eps + exp (-1 * Lambda).
Proof.
  exists 3080, (23 / 2), 100000. destruct far_place as (W & U & P & V). fold (loss_gap 3080 (23 / 2) 100000).
  destruct (far_curve 100000 _ _ U V P) as [A B].
  assert (E : exp (-1 * (23 / 2)) <= 1 / 10) by interval with (i_prec 60).
  repeat split; try lra.
Qed.
Theorem far_refuted_2 : exists c Lambda eps : R, 0 < c /\ 0 < Lambda /\ 0 < eps /\ 0 <= 2 /\ 0 <= 3 /\ Lambda <> 0
  /\ c <> 0 /\ 0 <= / Lambda * / c * eps ^ 2 /\ 0 < / Lambda * / c * eps ^ 2
  /\ ~ 0 <= 2 * exp (-1 * Lambda)
       + -1 / 2 * erfc (1 / 2 * sqrt 2 * (-1 / 2 * sqrt 3 * sqrt (/ Lambda * / c * eps ^ 2)
         + 1 / 3 * eps * sqrt 3 * / sqrt (/ Lambda * / c * eps ^ 2)))
       + 1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * sqrt 3 * sqrt (/ Lambda * / c * eps ^ 2)
         + 1 / 3 * eps * sqrt 3 * / sqrt (/ Lambda * / c * eps ^ 2))) * exp eps.
Proof.
  exists 3080, (23 / 2), 100000. destruct far_place as (W & U & P & V). fold (loss_gap 3080 (23 / 2) 100000).
  destruct (far_curve 100000 _ _ U V P) as [A B].
  assert (E : exp (-1 * (23 / 2)) <= 1 / 10) by interval with (i_prec 60).
  repeat split; try lra.
Qed.

(* ---------- erfc on a box ---------- *)
Lemma erfc_cubic a : 0 <= a -> erfc a <= 1 - 2 / sqrt PI * (a - a ^ 3 / 3).
Proof.
  intros A. enough (0 <= 1 - 2 / sqrt PI * (a - a ^ 3 / 3) - erfc a) by lra. pose proof sqrt_PI_pos as P.
  set (h := fun a => 1 - 2 / sqrt PI * (a - a ^ 3 / 3) - erfc a).
  set (dh := fun a => 2 / sqrt PI * (exp (- (a * a)) - (1 - a * a))).
  assert (D : forall a, is_derive h a (dh a)).
  { intros x. unfold h, dh. auto_derive. trivial. assert (Q : forall z, -1 * z = - z) by (intros; ring). rewrite
    ?Q. field. lra. }
  apply (mono_up_ge h dh 0 a); auto.
  - intros c _. apply continuity_pt_filterlim, (ex_derive_continuous h). exists (dh c). apply D.
  - intros c _. unfold dh. apply Rmult_le_pos. left. apply Rdiv_lt_0_compat; lra.
    pose proof (exp_ineq1_le (- (c * c))). lra.
  - unfold h. rewrite erfc_0. right. field. lra.
Qed.
Lemma scaled_at_most a : 23 / 100 <= a -> exp (a * a) * erfc a <= 8 / 10.
Proof.
  intros A. pose proof (exp_pos (a * a)) as E. destruct (Rle_or_lt a (8 / 10)) as [B | B].
  - apply Rle_trans with (exp (a * a) * (1 - 2 / sqrt PI * (a - a ^ 3 / 3))).
    apply Rmult_le_compat_l. lra. apply erfc_cubic. lra. interval with (i_prec 60, i_bisect a, i_taylor a, i_depth 20).
  - apply Rle_trans with (exp (a * a) * (exp (- (a * a)) / (sqrt PI * a))).
    apply Rmult_le_compat_l. lra. apply erfc_mills_upper. lra.
    replace (exp (a * a) * (exp (- (a * a)) / (sqrt PI * a))) with (/ (sqrt PI * a)).
    apply Rle_trans with (/ (sqrt PI * (8 / 10))). 2: interval with (i_prec 60). pose proof sqrt_PI_pos.
    apply Rinv_le_contravar; nra. rewrite exp_Ropp. pose proof sqrt_PI_pos. field. repeat split; lra.
Qed.
Lemma scaled_at_least b : 8 / 10 <= b -> b <= 33 / 10 -> 15 / 100 <= exp (b * b) * erfc b.
Proof.
  intros B C. pose proof (exp_pos (b * b)) as E.
  apply Rle_trans with (exp (b * b) * (exp (- (b * b)) * (2 * b / (2 * (b * b) + 1)) / sqrt PI)).
  2: apply Rmult_le_compat_l; [lra | apply erfc_mills_lower; lra].
  replace (exp (b * b) * (exp (- (b * b)) * (2 * b / (2 * (b * b) + 1)) / sqrt PI)) with (2 * b / (2 * (b * b) + 1)
    / sqrt PI).
  interval with (i_prec 60, i_bisect b). rewrite exp_Ropp. pose proof sqrt_PI_pos. field. repeat split; nra.
Qed.
Theorem noise_on_a_box Lambda eps : 7 / 10 <= Lambda -> Lambda <= 9 -> 1 / 2 <= eps -> eps <= 2 ->
  Lambda <> 0 /\ 0 <= / Lambda * eps ^ 2 /\ 0 < / Lambda * eps ^ 2
  /\ 0 < 1 + -1 / 2 * erfc (-1 / 4 * sqrt (/ Lambda * eps ^ 2) + eps * / sqrt (/ Lambda * eps ^ 2)) * exp Lambda
    + 1 / 2 * erfc (1 / 4 * sqrt (/ Lambda * eps ^ 2) + eps * / sqrt (/ Lambda * eps ^ 2)) * exp Lambda * exp eps.
Proof.
  intros L0 L1 E0 E1. set (r := sqrt Lambda). assert (R2 : r * r = Lambda) by (apply sqrt_sqrt; lra).
  assert (R0 : 0 < r) by (apply sqrt_lt_R0; lra). assert (RL : 8 / 10 <= r) by (unfold r; interval with (i_prec 60)).
  assert (RU : r <= 3) by nra. assert (W : sqrt (/ Lambda * eps ^ 2) = eps * / r).
  { pose proof (Rinv_0_lt_compat _ R0). rewrite <- (sqrt_square (eps * / r)) by nra. f_equal. rewrite <- R2. field.
    lra. }
  pose proof (Rinv_0_lt_compat Lambda ltac:(lra)) as I. rewrite W.
  assert (W0 : 0 < / Lambda * eps ^ 2) by (apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]).
  split; [lra | split; [lra | split; [lra | ]]].
  replace (-1 / 4 * (eps * / r) + eps * / (eps * / r)) with (r - eps / (4 * r)) by (field; lra).
  replace (1 / 4 * (eps * / r) + eps * / (eps * / r)) with (r + eps / (4 * r)) by (field; lra).
  set (a := r - eps / (4 * r)). set (b := r + eps / (4 * r)).
  assert (A : 23 / 100 <= a) by (unfold a, r; interval with (i_prec 60, i_bisect Lambda, i_depth 20)).
  assert (B : 8 / 10 <= b) by (unfold b, r; interval with (i_prec 60, i_bisect Lambda, i_depth 20)).
  assert (C : b <= 33 / 10) by (unfold b, r; interval with (i_prec 60, i_bisect Lambda, i_depth 20)).
  pose proof (scaled_at_most a A) as Ma. pose proof (scaled_at_least b B C) as Mb.
  assert (SA : Lambda = a * a + (eps / 2 - eps * eps / (16 * Lambda))) by (unfold a; rewrite <- R2; field; lra).
  assert (SB : Lambda + eps = b * b + (eps / 2 - eps * eps / (16 * Lambda))) by (unfold b; rewrite <- R2; field; lra).
  set (x := eps / 2 - eps * eps / (16 * Lambda)) in *.
  assert (X : exp x <= 272 / 100).
  { apply Rle_trans with (exp 1). apply exp_le. unfold x.
    assert (0 <= eps * eps / (16 * Lambda)) by (apply Rmult_le_pos; [nra | left; apply Rinv_0_lt_compat; lra]).
      lra. interval with (i_prec 60). }
  pose proof (exp_pos x) as X0.
  assert (PA : erfc a * exp Lambda = exp x * (exp (a * a) * erfc a)) by (rewrite SA, exp_plus; ring).
  assert (PB : erfc b * exp Lambda * exp eps = exp x * (exp (b * b) * erfc b)).
  { rewrite Rmult_assoc, <- exp_plus, SB, exp_plus. ring. }
  replace (-1 / 2 * erfc a * exp Lambda) with (-1 / 2 * (erfc a * exp Lambda)) by ring.
  replace (1 / 2 * erfc b * exp Lambda * exp eps) with (1 / 2 * (erfc b * exp Lambda * exp eps)) by ring.
  rewrite PA, PB. nra.
Qed.
Theorem noise_on_an_interval Lambda : 7 / 10 <= Lambda -> Lambda <= 71 / 100 -> Lambda <> 0 /\ 0 <= / Lambda
  /\ 0 < / Lambda /\ 0 < -1 + 1 / 2 * (2 + -1 * erfc (sqrt (/ Lambda) + -1 * / sqrt (/ Lambda))) * exp Lambda
    + -1 / 2 * erfc (sqrt (/ Lambda) + / sqrt (/ Lambda)) * exp 4 * exp Lambda.
Proof.
  intros L0 L1. pose proof (Rinv_0_lt_compat Lambda ltac:(lra)) as I.
  split; [lra | split; [lra | split; [lra | ]]].
  set (x := sqrt (/ Lambda) + -1 * / sqrt (/ Lambda)). set (y := sqrt (/ Lambda) + / sqrt (/ Lambda)).
  assert (X : 34 / 100 <= x) by (unfold x; interval with (i_prec 60)).
  assert (X1 : x <= 36 / 100) by (unfold x; interval with (i_prec 60)).
  assert (Y : 2 <= y) by (unfold y; interval with (i_prec 60, i_bisect Lambda)).
  assert (A : erfc x <= 64 / 100).
  { eapply Rle_trans. apply erfc_cubic. lra. interval with (i_prec 60). }
  assert (B : erfc y <= 51 / 10000).
  { eapply Rle_trans. apply erfc_mills_upper. lra. unfold y. interval with (i_prec 60, i_bisect Lambda). }
  assert (E : 201 / 100 <= exp Lambda) by interval with (i_prec 60).
  assert (F : exp 4 <= 5460 / 100) by interval with (i_prec 60).
  assert (E1 : exp Lambda <= 204 / 100) by interval with (i_prec 60).
  pose proof (erfc_positive y) as P. pose proof (exp_pos 4).
  assert (K : erfc y * exp 4 * exp Lambda <= 51 / 10000 * (5460 / 100) * (204 / 100)).
  { apply Rmult_le_compat; try lra. nra. apply Rmult_le_compat; lra. }
  replace (-1 / 2 * erfc y * exp 4 * exp Lambda) with (-1 / 2 * (erfc y * exp 4 * exp Lambda)) by ring. nra.
Qed.
