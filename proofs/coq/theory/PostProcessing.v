(** * What is done to an output of any kind, at random: no divergence grows

    Laws on events and their divergences are those of Events.v.  A randomised map sends an output t to one of finitely
    many outcomes k with the chance K t k; what is more than finitely many is seen through such outcomes.  It is
    measurable where, however close, some observation with finitely many outcomes tells the chances; the law of the
    outcome is the mean of the chances, so that it is as close to what the observation says.

    Proved here: the Renyi divergence of two laws of the outcome is at most that of the laws of the output, and
    (epsilon, delta)-closeness is kept, for every such map; the errors of every test lie in the region of
    (epsilon, delta)-differential privacy. *)
From Coq Require Import Arith Lia.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Dominance Tests Events.

(** What an observation f and chances w of its outcomes say within e of the chances K. *)
Definition tells {T} (E : (T -> bool) -> Prop) (K : T -> nat -> R) m e n f (w : nat -> nat -> R) :=
  observation E n f /\ (forall j, distribution (seq 0 m) (w j)) /\ forall t k, Rabs (K t k - w (f t) k) <= e.
(** The chances can be told within any e. *)
Definition measurable {T} (E : (T -> bool) -> Prop) (K : T -> nat -> R) m :=
  forall e, 0 < e -> exists n f w, tells E K m e n f w.
(** p is the law of the outcome: the mean of the chances under P. *)
Definition outcome_law {T} (E : (T -> bool) -> Prop) (K : T -> nat -> R) m (P : (T -> bool) -> R) (p : nat -> R) :=
  distribution (seq 0 m) p /\ forall e n f w, 0 < e -> tells E K m e n f w ->
    forall k, Rabs (p k - post (seq 0 n) w (seen P f) k) <= e.

(** ** Bounds that hold in the limit *)

(** A sum of multiples that is at most c within any e of p and q is at most c. *)
Lemma limit_bound {O} (l : list O) (A B p q : O -> R) c :
  (forall e, 0 < e -> exists p' q', (forall o, In o l -> Rabs (p o - p' o) <= e /\ Rabs (q o - q' o) <= e)
    /\ sum_over l (fun o => A o * p' o - B o * q' o) <= c) -> sum_over l (fun o => A o * p o - B o * q o) <= c.
Proof.
  intros H. set (s := sum_over l (fun o => Rabs (A o) + Rabs (B o))).
  assert (S0 : 0 <= s) by (apply sum_nonneg; intros o _; pose proof (Rabs_pos (A o)); pose proof (Rabs_pos (B o)); lra).
  apply Rnot_lt_le. intros L. set (gap := sum_over l (fun o => A o * p o - B o * q o) - c) in *.
  assert (G : 0 < gap) by (unfold gap; lra). destruct (H (gap / (2 * (s + 1)))) as (p' & q' & D & C).
  { apply Rdiv_lt_0_compat; lra. }
  set (e := gap / (2 * (s + 1))) in *. assert (E : e * s <= gap / 2).
  { assert (e * (s + 1) = gap / 2) by (unfold e; field; lra).
    assert (0 <= e) by (unfold e; left; apply Rdiv_lt_0_compat; lra). nra. }
  assert (K : sum_over l (fun o => A o * p o - B o * q o) <= sum_over l (fun o => A o * p' o - B o * q' o) + e * s).
  { unfold s. rewrite <- sum_scal, <- sum_plus. apply sum_le. intros o I. destruct (D o I) as [X Y].
    assert (A o * (p o - p' o) <= Rabs (A o) * e).
    { eapply Rle_trans. apply Rle_abs. rewrite Rabs_mult. apply Rmult_le_compat_l; auto. apply Rabs_pos. }
    assert (- (B o * (q o - q' o)) <= Rabs (B o) * e).
    { eapply Rle_trans. apply Rle_abs. rewrite Rabs_Ropp, Rabs_mult. apply Rmult_le_compat_l; auto. apply Rabs_pos. }
    lra. }
  unfold gap in *. lra.
Qed.
Lemma renyi_limit {O} (l : list O) a r p q : 1 < a -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
  (forall e, 0 < e -> exists p' q', (forall o, In o l -> Rabs (p o - p' o) <= e /\ Rabs (q o - q' o) <= e)
    /\ (forall o, 0 <= p' o) /\ (forall o, 0 <= q' o) /\ renyi l a r p' q') -> renyi l a r p q.
Proof.
  intros A P Q H.
  (* the tangents at any ratios; none where the ratio is 0 *)
  set (A1 := fun z : R => if Rlt_dec 0 z then Rpower z (a - 1) * a else 0).
  set (B1 := fun z : R => if Rlt_dec 0 z then Rpower z (a - 1) * (a - 1) * z else 0).
  assert (T : forall z : O -> R, sum_over l (fun o => A1 (z o) * p o - B1 (z o) * q o) <= exp ((a - 1) * r)).
  { intros z. apply limit_bound. intros e E0. destruct (H e E0) as (p' & q' & D & P' & Q' & S & M).
    exists p', q'. split; auto. eapply Rle_trans. 2: exact M. apply sum_le. intros o I. unfold A1, B1.
    destruct (Rlt_dec 0 (z o)) as [Z | Z].
    - pose proof (moment_tangent a (z o) (p' o) (q' o) ltac:(lra) Z (P' o) (Q' o) (S o I)). lra.
    - rewrite !Rmult_0_l, Rminus_0_r. apply Rmult_le_pos; auto. left; apply exp_pos. }
  assert (S : supported l p q).
  { intros o I X. destruct (Q o) as [Y | Y]; auto. exfalso. set (c := exp ((a - 1) * r)) in *.
    assert (C : 0 < c) by apply exp_pos. assert (F : 0 < (c + 1) / (a * p o)) by (apply Rdiv_lt_0_compat; nra).
    set (n := Rpower ((c + 1) / (a * p o)) (/ (a - 1))). assert (N : 0 < n) by apply exp_pos.
    assert (En : Rpower n (a - 1) = (c + 1) / (a * p o)).
    { unfold n. rewrite Rpower_mult, Rinv_l, Rpower_1; auto. lra. }
    pose proof (T (fun o' => if Rle_dec (q o') 0 then n else 0)) as B. set (g := fun o' : O => _) in B.
    assert (G : forall o', In o' l -> 0 <= g o').
    { intros o' _. unfold g. destruct (Rle_dec (q o') 0) as [Z | Z]; unfold A1, B1.
      - destruct (Rlt_dec 0 n); [ | easy]. replace (q o') with 0 by (pose proof (Q o'); lra).
        rewrite Rmult_0_r, Rminus_0_r. repeat apply Rmult_le_pos; auto; [left; apply exp_pos | lra].
      - destruct (Rlt_dec 0 0); lra. }
    pose proof (sum_one l g o I G) as O1. unfold g in O1 at 1. rewrite <- Y in O1.
    destruct (Rle_dec 0 0) as [_ | W]; [ | lra]. unfold A1, B1 in O1. destruct (Rlt_dec 0 n); [ | easy].
    rewrite En in O1. replace ((c + 1) / (a * p o) * a * p o) with (c + 1) in O1 by (field; lra). lra. }
  split; auto. eapply Rle_trans. 2: apply (T (fun o => if Rlt_dec 0 (p o) then p o / q o else 0)).
  apply Req_le, sum_ext. intros o I. unfold A1, B1. destruct (Rlt_dec 0 (p o)) as [X | X].
  - pose proof (S o I X) as Y. destruct (Rlt_dec 0 (p o / q o)) as [Z | Z].
    field. lra. exfalso. apply Z. now apply Rdiv_lt_0_compat.
  - destruct (Rlt_dec 0 0); [lra | ]. replace (p o) with 0 by (pose proof (P o); lra). ring.
Qed.

(** ** Randomised maps *)

(** $D_a$ of the outcomes is at most $D_a$ of the outputs. *)
Theorem renyi_on_post {T} (E : (T -> bool) -> Prop) K m a r P Q p q : algebra E -> law E P -> law E Q -> 1 < a ->
  measurable E K m -> outcome_law E K m P p -> outcome_law E K m Q q -> renyi_on E a r P Q -> renyi (seq 0 m) a r p q.
Proof.
  intros A LP LQ L M [[P0 _] HP] [[Q0 _] HQ] H. apply renyi_limit; auto. intros e E0.
  destruct (M e E0) as (n & f & w & W).
  pose proof W as (O & D & _). pose proof (seen_distribution E P n f A LP O) as [SP _].
  pose proof (seen_distribution E Q n f A LQ O) as [SQ _].
  exists (post (seq 0 n) w (seen P f)), (post (seq 0 n) w (seen Q f)). split; [ | split; [ | split]].
  - intros o _. split. now apply HP. now apply HQ.
  - intros o. apply sum_nonneg. intros j _. apply Rmult_le_pos; [apply SP | apply D].
  - intros o. apply sum_nonneg. intros j _. apply Rmult_le_pos; [apply SQ | apply D].
  - apply (renyi_post (seq 0 n) (seq 0 m)); auto. lra.
Qed.
(** $\rho$-zCDP is kept. *)
Theorem zcdp_on_post {D T} neighbours (E : (T -> bool) -> Prop) K m rho (M : D -> (T -> bool) -> R)
    (M' : D -> nat -> R) : algebra E -> (forall d, law E (M d)) -> measurable E K m ->
  (forall d, outcome_law E K m (M d) (M' d)) -> zCDP_on neighbours E rho M -> zCDP neighbours (seq 0 m) rho M'.
Proof. intros A L K0 O H a A1 d d' N. apply (renyi_on_post E K m a _ (M d) (M d')); auto. Qed.
(** $P(S)\le e^\varepsilon Q(S)+\delta$ is kept: post-processing never increases a hockey-stick divergence. *)
Theorem close_on_post {T} (E : (T -> bool) -> Prop) K m eps del P Q p q : algebra E -> law E P -> law E Q ->
  measurable E K m -> outcome_law E K m P p -> outcome_law E K m Q q -> close_on E eps del P Q ->
  close (seq 0 m) eps del p q.
Proof.
  intros A LP LQ M [P0 HP] [Q0 HQ] H S. enough (G : prob (seq 0 m) p S - exp eps * prob (seq 0 m) q S <= del) by lra.
  set (i := fun k => if S k then 1 else 0). assert (G : forall p q, prob (seq 0 m) p S - exp eps * prob (seq 0 m) q S
    = sum_over (seq 0 m) (fun k => i k * p k - exp eps * i k * q k)).
  { intros u v. rewrite prob_gap. apply sum_ext. intros k _. unfold i. destruct (S k); ring. }
  rewrite G. apply limit_bound. intros e E0. destruct (M e E0) as (n & f & w & W). pose proof W as (O & D & _).
  exists (post (seq 0 n) w (seen P f)), (post (seq 0 n) w (seen Q f)).
  split. intros k _. split; [now apply HP | now apply HQ].
  rewrite <- G. pose proof (proj1 (close_on_is_seen E eps del P Q A LP LQ) H n f O) as C.
  pose proof (close_post (seq 0 n) (seq 0 m) eps del _ _ w D C S). lra.
Qed.
(** A test rejects (1) or does not (0), at random: its errors lie in the region of $(\varepsilon,\delta)$-DP. *)
Theorem region_on {T} (E : (T -> bool) -> Prop) K eps del P Q p q : algebra E -> law E P -> law E Q ->
  measurable E K 2 -> outcome_law E K 2 P p -> outcome_law E K 2 Q q -> close_on E eps del P Q ->
  close_on E eps del Q P -> dp_trade_off eps del (q 1%nat) <= 1 - p 1%nat.
Proof.
  intros A LP LQ M HP HQ C C'. set (g := fun k : nat => if Nat.eqb k 1 then 1 else 0).
  pose proof (dp_region (seq 0 2) eps del p q g (proj1 HP) (proj1 HQ)
    ltac:(intros k; unfold g; destruct (k =? 1)%nat; lra)
    (close_on_post E K 2 eps del P Q p q A LP LQ M HP HQ C)
    (close_on_post E K 2 eps del Q P q p A LQ LP M HQ HP C')) as H.
  unfold first_error, second_error, rejects, g in H. simpl in H.
  replace (q 0%nat * 0 + (q 1%nat * 1 + 0)) with (q 1%nat) in H by ring.
  replace (p 0%nat * 0 + (p 1%nat * 1 + 0)) with (p 1%nat) in H by ring. exact H.
Qed.
