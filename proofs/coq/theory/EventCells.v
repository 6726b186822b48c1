(** * Connecting the dots on output spaces of any kind

    Laws on events are those of Events.v.  A pair of mass functions on finitely many outcomes is known, and its curve is
    nowhere below that of two laws at some points; the points are factors $e^\varepsilon$, and zero, where every curve
    is one.

    Proved here: between two neighbouring points, where the pair has no ratio of masses, and beyond the last one, the
    pair's curve is not below that of the laws either: the pair dominates them everywhere. *)
From Dpref Require Import Finite Interaction Approximate Convexity Events.

(** $\sum_o(p_o-\alpha q_o)_+$: the pair's curve at the factor al. *)
Definition curve {O} (l : list O) (p q : O -> R) al := sum_over l (fun o => Rmax 0 (p o - al * q o)).
Lemma curve_is_hockey {O} (l : list O) p q eps : curve l p q (exp eps) = hockey l eps p q.
Proof. reflexivity. Qed.
(** The laws' curve at the factor al is at most the pair's. *)
Definition below {T O} (E : (T -> bool) -> Prop) (P Q : (T -> bool) -> R) (l : list O) p q al :=
  forall S, E S -> P S <= al * Q S + curve l p q al.
Lemma below_is_close {T O} (E : (T -> bool) -> Prop) P Q (l : list O) p q eps :
  below E P Q l p q (exp eps) <-> close_on E eps (hockey l eps p q) P Q.
Proof. reflexivity. Qed.

(** At zero nothing is to be shown. *)
Theorem first_dot {T O} (E : (T -> bool) -> Prop) P Q (l : list O) p q : algebra E -> law E P -> distribution l p ->
  below E P Q l p q 0.
Proof.
  intros (A & _) (N & U & S & X) [P0 P1] F HF. unfold curve.
  rewrite (sum_ext _ _ p). 2: intros o _; rewrite Rmult_0_l, Rminus_0_r; apply Rmax_right, P0.
  rewrite P1. pose proof (S (fun _ => true) F A HF) as H. simpl in H. rewrite U in H.
  pose proof (N (fun t => negb (F t))). replace (P F) with (P (fun t => F t)) by (apply X; auto). lra.
Qed.
(** Between two points at which the pair is above, and between which it has no ratio of masses. *)
Theorem connect_the_dots_on {T O} (E : (T -> bool) -> Prop) P Q (l : list O) p q al0 al1 al : (forall o, 0 <= q o) ->
  al0 <= al <= al1 -> (forall o, In o l -> p o <= al0 * q o \/ al1 * q o <= p o) ->
  below E P Q l p q al0 -> below E P Q l p q al1 -> below E P Q l p q al.
Proof.
  intros N B C H0 H1 S HS. specialize (H0 S HS). specialize (H1 S HS).
  destruct (Req_dec al0 al1) as [e | e]. replace al with al0 by lra. exact H0.
  set (t := (al1 - al) / (al1 - al0)).
  assert (M : al = t * al0 + (1 - t) * al1) by (unfold t; field; lra).
  assert (T0 : 0 <= t <= 1).
  { unfold t. split. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra.
    apply (Rmult_le_reg_r (al1 - al0)). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (G : curve l p q al = t * curve l p q al0 + (1 - t) * curve l p q al1).
  { unfold curve. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros o I. specialize (N o).
    destruct (C o I) as [L | L].
    - rewrite !Rmax_left by nra. ring.
    - rewrite !Rmax_right by nra. rewrite M. ring. }
  rewrite G, M. nra.
Qed.
(** Beyond the last point, where only outcomes without mass on the other side are left. *)
Theorem last_dot {T O} (E : (T -> bool) -> Prop) P Q (l : list O) p q al0 al : law E Q -> (forall o, 0 <= p o) ->
  (forall o, 0 <= q o) -> al0 <= al -> (forall o, In o l -> p o <= al0 * q o \/ q o = 0) -> below E P Q l p q al0 ->
  below E P Q l p q al.
Proof.
  intros (NQ & _) Np N B C H S HS. specialize (H S HS). specialize (NQ S).
  assert (G : curve l p q al = curve l p q al0).
  { apply sum_ext. intros o I. specialize (N o). destruct (C o I) as [L | L].
    - rewrite !Rmax_left by nra. ring.
    - rewrite L, !Rmult_0_r. reflexivity. }
  rewrite G. nra.
Qed.
