(** * Output spaces of any kind, seen through finitely many outcomes

    A law on a set T of outputs, finite or not, gives each event of an algebra of events a probability, additively.
    An observation with finitely many outcomes sees a distribution on them.  The Renyi divergence of two laws is the
    largest that an observation sees, which for probability measures is the integral over densities (van Erven and
    Harremoes 2014, Theorem 10); differential privacy is stated over the events themselves.

    Proved here, from the theorems on finite output spaces: a divergence of order a is (eps, delta)-DP, plain and in
    the sharp form; the delta of zCDP and of approximate zCDP; the weak triangle inequality; no divergence grows by what
    is done to an output by a map; everything that is (eps, delta)-private in both orders is dominated by the pair of
    the guarantee; joint convexity in finitely many parts. *)
From Coq Require Import Bool Arith Lia.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Conversion Dominance Pairs Failures.

(** ** Laws and observations *)

(** An algebra of events: closed under complement and intersection; events with the same points are one. *)
Definition algebra {T} (E : (T -> bool) -> Prop) := E (fun _ => true) /\ (forall S, E S -> E (fun t => negb (S t)))
  /\ (forall S S', E S -> E S' -> E (fun t => S t && S' t)) /\ (forall S S', (forall t, S t = S' t) -> E S -> E S').
(** A law on it: $P\ge0$, $P(T)=1$, and $P(S)=P(S\cap S')+P(S\setminus S')$. *)
Definition law {T} (E : (T -> bool) -> Prop) (P : (T -> bool) -> R) :=
  (forall S, 0 <= P S) /\ P (fun _ => true) = 1
  /\ (forall S S', E S -> E S' -> P S = P (fun t => S t && S' t) + P (fun t => S t && negb (S' t)))
  /\ (forall S S', (forall t, S t = S' t) -> P S = P S').
(** An observation with the outcomes 0, ..., n - 1, each of which is an event. *)
Definition observation {T} (E : (T -> bool) -> Prop) n (f : T -> nat) :=
  (forall t, (f t < n)%nat) /\ forall k, E (fun t => f t =? k).
(** The mass of an outcome. *)
Definition seen {T} (P : (T -> bool) -> R) (f : T -> nat) (k : nat) := P (fun t => f t =? k).

(** $P(S)\le e^\varepsilon Q(S)+\delta$ for every event. *)
Definition close_on {T} (E : (T -> bool) -> Prop) eps del (P Q : (T -> bool) -> R) :=
  forall S, E S -> P S <= exp eps * Q S + del.
(** Differential privacy on any output space. *)
Definition DP_on {D T} (neighbours : D -> D -> Prop) (E : (T -> bool) -> Prop) eps del (M : D -> (T -> bool) -> R) :=
  forall d d', neighbours d d' -> close_on E eps del (M d) (M d').
(** $D_a(P\|Q)\le r$: so it is for every observation. *)
Definition renyi_on {T} (E : (T -> bool) -> Prop) a r (P Q : (T -> bool) -> R) :=
  forall n f, observation E n f -> renyi (seq 0 n) a r (seen P f) (seen Q f).
(** $\rho$-zCDP on any output space. *)
Definition zCDP_on {D T} (neighbours : D -> D -> Prop) (E : (T -> bool) -> Prop) rho (M : D -> (T -> bool) -> R) :=
  forall d d' a, neighbours d d' -> 1 < a -> renyi_on E a (rho * a) (M d) (M d').

(** ** What an observation sees *)

Lemma law_nothing {T} (E : (T -> bool) -> Prop) P : algebra E -> law E P -> P (fun _ => false) = 0.
Proof.
  intros (A & _) (N & _ & S & X). pose proof (S _ _ A A) as H. simpl in H.
  lra.
Qed.
(** The outcomes below m of an event share its probability. *)
Lemma seen_below {T} (E : (T -> bool) -> Prop) P f G m : algebra E -> law E P -> (forall k, E (fun t => f t =? k)) ->
  E (fun t => (f t <? m) && G (f t))
  /\ sum_over (seq 0 m) (fun k => if G k then seen P f k else 0) = P (fun t => (f t <? m) && G (f t)).
Proof.
  intros A L O. destruct A as (A1 & A2 & A3 & A4). destruct L as (N & L1 & L2 & L3).
  assert (Z : P (fun _ => false) = 0).
  { apply (law_nothing E P); repeat split; auto. }
  assert (E0 : E (fun _ : T => false)) by (apply (A4 (fun t => negb true)); auto).
  induction m as [ | m [IH1 IH2]].
  - split. apply (A4 (fun _ => false)); auto. simpl. rewrite <- Z. apply L3. auto.
  - assert (S1 : forall t, (f t <? S m) && G (f t) = if G m then ((f t <? m) && G (f t)) || (f t =? m)
        else (f t <? m) && G (f t)).
    { intros t. destruct (Nat.eqb_spec (f t) m) as [e | e].
      - rewrite e, (proj2 (Nat.ltb_lt m (S m))), Nat.ltb_irrefl by lia. now destruct (G m).
      - replace (f t <? S m) with (f t <? m). now destruct (G m); rewrite ?orb_false_r.
        destruct (Nat.ltb_spec (f t) m), (Nat.ltb_spec (f t) (S m)); auto; lia. }
    assert (E1 : E (fun t => (f t <? S m) && G (f t))).
    { destruct (G m) eqn:Gm. 2: apply (A4 (fun t => (f t <? m) && G (f t))); auto; intros t; now rewrite S1.
      apply (A4 (fun t => negb (negb ((f t <? m) && G (f t)) && negb (f t =? m)))).
      intros t. now rewrite S1, negb_andb, !negb_involutive.
      apply A2, A3; apply A2; auto. }
    split; auto. rewrite seq_S, sum_app. simpl. rewrite IH2, Rplus_0_r, (L2 _ (fun t => f t =? m) E1 (O m)),
      Rplus_comm.
    assert (D : forall t, ((f t <? S m) && G (f t)) && negb (f t =? m) = (f t <? m) && G (f t)).
    { intros t. destruct (Nat.ltb_spec (f t) (S m)), (Nat.ltb_spec (f t) m), (Nat.eqb_spec (f t) m); simpl; try lia;
        rewrite ?andb_true_r, ?andb_false_r; auto. }
    rewrite (L3 _ _ D). f_equal. destruct (G m) eqn:Gm.
    + apply L3. intros t. rewrite S1. destruct (Nat.eqb_spec (f t) m); rewrite ?orb_true_r, ?andb_false_r; auto.
    + rewrite <- Z. apply L3. intros t. rewrite S1. destruct (Nat.ltb_spec (f t) m), (Nat.eqb_spec (f t) m); simpl;
      auto; try lia.
Qed.
Lemma seen_event {T} (E : (T -> bool) -> Prop) P n f G : algebra E -> law E P -> observation E n f ->
  prob (seq 0 n) (seen P f) G = P (fun t => G (f t)) /\ E (fun t => G (f t)).
Proof.
  intros A L [B O]. destruct (seen_below E P f G n A L O) as [H1 H2].
  assert (S1 : forall t, (f t <? n) && G (f t) = G (f t)).
  { intros t. now rewrite (proj2 (Nat.ltb_lt _ _) (B t)). }
  split. unfold prob. rewrite H2. now apply L. now apply (proj2 (proj2 (proj2 A)) (fun t => (f t <? n) && G (f t))).
Qed.
Lemma seen_distribution {T} (E : (T -> bool) -> Prop) P n f : algebra E -> law E P -> observation E n f ->
  distribution (seq 0 n) (seen P f).
Proof.
  intros A L O. split. intros k. apply L. destruct (seen_event E P n f (fun _ => true) A L O) as [H _].
  transitivity (P (fun _ => true)). exact H. apply L.
Qed.
(** An event as an observation with two outcomes. *)
Definition whether {T} (S : T -> bool) (t : T) : nat := if S t then 1 else 0.
Lemma whether_observation {T} (E : (T -> bool) -> Prop) S : algebra E -> E S -> observation E 2 (whether S).
Proof.
  intros (A1 & A2 & A3 & A4) H. split. intros t. unfold whether. destruct (S t); lia.
  intros [ | [ | k]]; unfold whether.
  - apply (A4 (fun t => negb (S t))); auto. intros t. now destruct (S t).
  - apply (A4 S); auto. intros t. now destruct (S t).
  - apply (A4 (fun t => negb true)); auto. intros t. now destruct (S t).
Qed.
(** Laws are close on events exactly where every observation is. *)
Theorem close_on_is_seen {T} (E : (T -> bool) -> Prop) eps del P Q : algebra E -> law E P -> law E Q ->
  close_on E eps del P Q <-> forall n f, observation E n f -> close (seq 0 n) eps del (seen P f) (seen Q f).
Proof.
  intros A LP LQ. split.
  - intros H n f O G. destruct (seen_event E P n f G A LP O) as [-> I]. destruct (seen_event E Q n f G A LQ O) as
    [-> _].
    now apply H.
  - intros H S I. pose proof (whether_observation E S A I) as O. specialize (H 2%nat _ O (fun k => k =? 1)).
    destruct (seen_event E P 2 _ (fun k => k =? 1) A LP O) as [EP _].
    destruct (seen_event E Q 2 _ (fun k => k =? 1) A LQ O) as [EQ _]. rewrite EP, EQ in H.
    assert (X : forall t, (whether S t =? 1) = S t) by (intros t; unfold whether; now destruct (S t)).
    rewrite <- (proj2 (proj2 (proj2 LP)) _ _ X), <- (proj2 (proj2 (proj2 LQ)) _ _ X). exact H.
Qed.

(** ** The theorems of finite output spaces, on all *)

(** $D_a\le r$ gives $\delta=e^{(a-1)(r-\varepsilon)}$. *)
Theorem renyi_on_to_dp {T} (E : (T -> bool) -> Prop) a r eps P Q : algebra E -> law E P -> law E Q -> 1 < a ->
  renyi_on E a r P Q -> close_on E eps (exp ((a - 1) * (r - eps))) P Q.
Proof.
  intros A LP LQ L H. apply (close_on_is_seen E); auto. intros n f O. apply renyi_to_dp; auto.
  intros; apply LP. intros; apply LQ.
Qed.
(** $D_a\le r$ gives $\delta=\frac{e^{(a-1)(r-\varepsilon)}}{a-1}\bigl(1-\frac1a\bigr)^a$. *)
Theorem renyi_on_to_dp_optimised {T} (E : (T -> bool) -> Prop) a r eps P Q : algebra E -> law E P -> law E Q -> 1 <
  a ->
  renyi_on E a r P Q -> close_on E eps (exp ((a - 1) * (r - eps)) * conversion_factor a) P Q.
Proof.
  intros A LP LQ L H. apply (close_on_is_seen E); auto. intros n f O. apply renyi_to_dp_optimised; auto.
  intros; apply LP. intros; apply LQ.
Qed.
(** $\rho$-zCDP gives $\delta=e^{-(\varepsilon-\rho)^2/(4\rho)}$. *)
Theorem zcdp_on_to_dp {D T} neighbours (E : (T -> bool) -> Prop) rho eps (M : D -> (T -> bool) -> R) : algebra E ->
  (forall d, law E (M d)) -> 0 < rho -> rho < eps -> zCDP_on neighbours E rho M ->
  DP_on neighbours E eps (exp (- ((eps - rho) * (eps - rho)) / (4 * rho))) M.
Proof.
  intros A L R0 X H d d' N. set (a := 1 + (eps - rho) / (2 * rho)).
  assert (A1 : 1 < a) by (unfold a; pose proof (Rdiv_lt_0_compat (eps - rho) (2 * rho)); lra).
  replace (- ((eps - rho) * (eps - rho)) / (4 * rho)) with ((a - 1) * (rho * a - eps)) by (unfold a; field; lra).
  apply renyi_on_to_dp; auto.
Qed.
(** $D_a(P\|Q)\le\frac{2a-1}{2(a-1)}D_{2a}(P\|R)+D_{2a-1}(R\|Q)$. *)
Theorem weak_triangle_on {T} (E : (T -> bool) -> Prop) a s1 s2 P U Q : law E P -> law E U -> law E Q -> 1 < a ->
  renyi_on E (2 * a) s1 P U -> renyi_on E (2 * a - 1) s2 U Q ->
  renyi_on E a ((2 * a - 1) / (2 * (a - 1)) * s1 + s2) P Q.
Proof.
  intros LP LU LQ A H1 H2 n f O. apply weak_triangle with (seen U f); auto.
  intros; apply LP. intros; apply LU. intros; apply LQ.
Qed.
(** What is done to an output by a map g whose events are events: no divergence grows. *)
Theorem map_on {T U} (E : (T -> bool) -> Prop) (F : (U -> bool) -> Prop) (g : T -> U) a r P Q :
  (forall S, F S -> E (fun t => S (g t))) -> renyi_on E a r P Q ->
  renyi_on F a r (fun S => P (fun t => S (g t))) (fun S => Q (fun t => S (g t))).
Proof.
  intros G H n f [B O]. apply (H n (fun t => f (g t))). split; auto. intros k. apply (G _ (O k)).
Qed.
(** What is $(\varepsilon,\delta)$-private in both orders is dominated by the pair of the guarantee at every loss
  x. *)
Theorem guarantee_dominates_on {T} (E : (T -> bool) -> Prop) P Q eps del : algebra E -> law E P -> law E Q -> 0 <=
  eps ->
  0 <= del <= 1 -> close_on E eps del P Q -> close_on E eps del Q P -> forall x,
  close_on E x (hockey guarantee_outcomes x (guarantee_first eps del) (guarantee_second eps del)) P Q.
Proof.
  intros A LP LQ X D C C' x. apply (close_on_is_seen E); auto. intros n f O. apply hockey_is_delta.
  pose proof (proj1 (close_on_is_seen E eps del P Q A LP LQ) C n f O) as C1.
  pose proof (proj1 (close_on_is_seen E eps del Q P A LQ LP) C' n f O) as C2.
  apply (guarantee_dominates (seq 0 n)); auto; eapply seen_distribution; eauto.
Qed.
(** Outside of failures of mass $\delta$ on both sides, $\rho$-zCDP gives
    $\delta+(1-\delta)e^{-(\varepsilon-\rho)^2/(4\rho)}$. *)
Theorem approximate_zcdp_on_to_dp {T} (E : (T -> bool) -> Prop) del rho eps P Q P' Q' : algebra E -> law E P ->
  law E Q -> law E P' -> law E Q' -> 0 <= del <= 1 -> 0 < rho -> rho < eps ->
  (forall S, (1 - del) * P' S <= P S) -> (forall S, (1 - del) * Q' S <= Q S) ->
  (forall a, 1 < a -> renyi_on E a (rho * a) P' Q') ->
  close_on E eps (del + (1 - del) * exp (- ((eps - rho) * (eps - rho)) / (4 * rho))) P Q.
Proof.
  intros A LP LQ LP' LQ' X R0 L HP HQ H.
  pose proof (zcdp_on_to_dp (fun b b' : bool => b = true /\ b' = false) E rho eps (fun b : bool => if b then P' else Q')
    A ltac:(intros [ | ]; auto) R0 L ltac:(intros b b' a [-> ->]; apply H) true false (conj eq_refl eq_refl)) as C.
  apply (close_on_is_seen E); auto. intros n f O. apply close_but_for with (seen P' f) (seen Q' f); auto.
  - now apply (seen_distribution E).
  - split. now apply (seen_distribution E). intros k. apply HP.
  - split. now apply (seen_distribution E). intros k. apply HQ.
  - now apply (proj1 (close_on_is_seen E eps _ P' Q' A LP' LQ') C).
Qed.
(** $H_\varepsilon(\sum_iw_iP_i,\sum_iw_iQ_i)\le\sum_iw_iH_\varepsilon(P_i,Q_i)$, for finitely many parts. *)
Theorem joint_convexity_on {I T} (w : list I) weight (E : (T -> bool) -> Prop) eps del
    (P Q : I -> (T -> bool) -> R) : (forall i, 0 <= weight i) -> (forall i, close_on E eps (del i) (P i) (Q i)) ->
  close_on E eps (sum_over w (fun i => weight i * del i)) (fun S => sum_over w (fun i => weight i * P i S))
    (fun S => sum_over w (fun i => weight i * Q i S)).
Proof.
  intros W H S I'. rewrite <- sum_scal, <- sum_plus. apply sum_le. intros i _.
  pose proof (Rmult_le_compat_l _ _ _ (W i) (H i S I')). lra.
Qed.
