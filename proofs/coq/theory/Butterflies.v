(** * A transform in levels of butterflies: how far rounding takes an output

    An output of a level is p + w q, of two outputs of the level before and a root of unity w.  Computed are a root that
    is off by at most tau, a product off by a relative error of at most c, and a sum off by at most u.  Proved here: after
    n levels an output is off by at most (((1 + u) (1 + tau) (1 + c))^n - 1) times the sum of the inputs' magnitudes. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** [butterflies u tau c n y y' m]: after n levels y is computed as y', from inputs whose magnitudes add up to m. *)
Inductive butterflies (u tau c : R) : nat -> C -> C -> R -> Prop :=
  | input x : butterflies u tau c 0 x x (Cmod x)
  | level n p p' m q q' l w w' r s : butterflies u tau c n p p' m -> butterflies u tau c n q q' l -> Cmod w = 1 ->
      Cmod (w' - w)%C <= tau -> Cmod (r - w' * q')%C <= c * Cmod (w' * q')%C -> Cmod (s - (p' + r))%C <= u * Cmod (p' + r)%C ->
      butterflies u tau c (S n) (p + w * q)%C s (m + l).

(** The sum of two complex numbers, each part off by a relative error of its own. *)
Lemma sum_in_parts u (x y e f : R) : Rabs e <= u -> Rabs f <= u ->
  Cmod (Cminus (x * (1 + e), y * (1 + f)) (x, y)) <= u * Cmod (x, y).
Proof.
  intros E F. assert (U : 0 <= u) by (pose proof (Rabs_pos e); lra). apply Rabs_le_between in E, F.
  unfold Cmod. simpl fst. simpl snd. rewrite <- (sqrt_Rsqr u) by auto. rewrite <- sqrt_mult_alt by apply Rle_0_sqr.
  apply sqrt_le_1_alt. unfold Rsqr. assert (e * e <= u * u) by nra. assert (f * f <= u * u) by nra.
  assert (0 <= x * x * (u * u - e * e)) by (apply Rmult_le_pos; [apply Rle_0_sqr | lra]).
  assert (0 <= y * y * (u * u - f * f)) by (apply Rmult_le_pos; [apply Rle_0_sqr | lra]). simpl. nra.
Qed.
Theorem transform_error u tau c : 0 <= u -> 0 <= tau -> 0 <= c -> forall n y y' m, butterflies u tau c n y y' m ->
  0 <= m /\ Cmod y <= m /\ Cmod (y' - y)%C <= (((1 + u) * (1 + tau) * (1 + c)) ^ n - 1) * m.
Proof.
  intros U T C. set (g := (1 + u) * (1 + tau) * (1 + c)). assert (K : 1 <= (1 + tau) * (1 + c)) by nra.
  assert (G : g = (1 + u) * ((1 + tau) * (1 + c))) by (unfold g; ring). clearbody g.
  induction 1 as [x | n p p' m q q' l w w' r s HP IHP HQ IHQ W W' HR HS].
  { replace (x - x)%C with (RtoC 0) by ring. rewrite Cmod_0. pose proof (Cmod_ge_0 x). simpl. repeat split; lra. }
  destruct IHP as (m0 & P1 & P2), IHQ as (l0 & Q1 & Q2). set (E := g ^ n) in *.
  assert (P3 : Cmod p' <= E * m).
  { replace p' with (p + (p' - p))%C by ring. pose proof (Cmod_triangle p (p' - p)%C). lra. }
  assert (Q3 : Cmod q' <= E * l).
  { replace q' with (q + (q' - q))%C by ring. pose proof (Cmod_triangle q (q' - q)%C). lra. }
  assert (W3 : Cmod w' <= 1 + tau).
  { replace w' with (w + (w' - w))%C by ring. pose proof (Cmod_triangle w (w' - w)%C). lra. }
  pose proof (Cmod_ge_0 q') as q0. pose proof (Cmod_ge_0 w') as w0. pose proof (Cmod_ge_0 p') as p0.
  rewrite Cmod_mult in HR. assert (WQ : Cmod w' * Cmod q' <= (1 + tau) * Cmod q') by (apply Rmult_le_compat_r; lra).
  assert (CWQ : c * (Cmod w' * Cmod q') <= c * ((1 + tau) * Cmod q')) by (apply Rmult_le_compat_l; lra).
  set (k := (1 + tau) * (1 + c)) in *. assert (KQ : k * Cmod q' <= k * (E * l)) by (apply Rmult_le_compat_l; lra).
  assert (R1 : Cmod r <= k * (E * l)).
  { replace r with (w' * q' + (r - w' * q'))%C by ring. pose proof (Cmod_triangle (w' * q')%C (r - w' * q')%C) as A.
    rewrite Cmod_mult in A. apply Rle_trans with (k * Cmod q'); auto. unfold k. lra. }
  assert (R2 : Cmod (r - w * q)%C <= k * (E * l) - l).
  { replace (r - w * q)%C with ((r - w' * q') + ((w' - w) * q' + w * (q' - q)))%C by ring.
    pose proof (Cmod_triangle (r - w' * q')%C ((w' - w) * q' + w * (q' - q))%C) as A.
    pose proof (Cmod_triangle ((w' - w) * q')%C (w * (q' - q))%C) as B. rewrite !Cmod_mult, W in B.
    assert (Cmod (w' - w)%C * Cmod q' <= tau * Cmod q') by (apply Rmult_le_compat_r; lra).
    assert ((k - 1) * Cmod q' <= (k - 1) * (E * l)) by (apply Rmult_le_compat_l; lra).
    assert (c * ((1 + tau) * Cmod q') + tau * Cmod q' = (k - 1) * Cmod q') by (unfold k; ring). lra. }
  assert (S1 : Cmod (p' + r)%C <= E * m + k * (E * l)) by (pose proof (Cmod_triangle p' r); lra).
  assert (S2 : u * Cmod (p' + r)%C <= u * (E * m + k * (E * l))) by (apply Rmult_le_compat_l; lra).
  assert (M0 : 0 <= E * m) by lra. assert (M1 : (1 + u) * (E * m) <= (1 + u) * (k * (E * m))).
  { apply Rmult_le_compat_l. lra. rewrite <- (Rmult_1_l (E * m)) at 1. apply Rmult_le_compat_r; lra. }
  repeat split. lra.
  - pose proof (Cmod_triangle p (w * q)%C) as A. rewrite Cmod_mult, W in A. lra.
  - replace (s - (p + w * q))%C with ((s - (p' + r)) + ((p' - p) + (r - w * q)))%C by ring.
    pose proof (Cmod_triangle (s - (p' + r))%C ((p' - p) + (r - w * q))%C) as A.
    pose proof (Cmod_triangle (p' - p)%C (r - w * q)%C) as B. simpl pow. fold E.
    replace ((g * E - 1) * (m + l)) with ((1 + u) * (k * (E * m)) + (1 + u) * (k * (E * l)) - m - l) by (rewrite G; ring). lra.
Qed.
