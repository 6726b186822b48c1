(** * Dominating pairs

    A pair (A, B) dominates (p, q) where its hockey-stick divergence is at least theirs at every epsilon.  The pairs of
    measures here need not be normalised: what is rounded up dominates, what is left out is dominated.

    Proved here: domination at every pair of weights; post-processing, mixtures and masses that move; dominating pairs
    compose, adaptively and for any number of questions (Zhu, Dong and Wang 2022, Theorem 10); samples of a dominating
    pair dominate (their Theorem 11); splitting the mass of a cell between its ends dominates. *)
From Dpref Require Import Finite Interaction Approximate.

(** ** The divergence at weights x and y instead of 1 and exp(eps) *)

Definition stick {O} (l : list O) x y (p q : O -> R) := sum_over l (fun o => Rmax 0 (x * p o - y * q o)).
Definition nonneg {O} (p : O -> R) := forall o, 0 <= p o.
Definition dominated {O X} (l : list O) (p q : O -> R) (m : list X) (A B : X -> R) :=
  forall eps, hockey l eps p q <= hockey m eps A B.

Lemma hockey_stick {O} (l : list O) eps p q : hockey l eps p q = stick l 1 (exp eps) p q.
Proof. apply sum_ext. intros. now rewrite Rmult_1_l. Qed.
Lemma Rmax_scal c a : 0 <= c -> Rmax 0 (c * a) = c * Rmax 0 a.
Proof. intros H. unfold Rmax. destruct (Rle_dec 0 a), (Rle_dec 0 (c * a)); nra. Qed.
Lemma stick_scal {O} (l : list O) c x y p q : 0 <= c -> stick l (c * x) (c * y) p q = c * stick l x y p q.
Proof. intros H. unfold stick. rewrite <- sum_scal. apply sum_ext. intros. rewrite <- Rmax_scal by auto. f_equal. ring. Qed.
Lemma stick_first {O} (l : list O) x p q : 0 <= x -> nonneg p -> stick l x 0 p q = x * sum_over l p.
Proof.
  intros H P. unfold stick. rewrite <- sum_scal. apply sum_ext. intros o _. rewrite Rmult_0_l, Rminus_0_r.
  apply Rmax_right. apply Rmult_le_pos; auto.
Qed.
Lemma stick_second {O} (l : list O) y p q : 0 <= y -> nonneg q -> stick l 0 y p q = 0.
Proof.
  intros H Q. unfold stick. transitivity (sum_over l (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros o _.
  apply Rmax_left.
  pose proof (Rmult_le_pos _ _ H (Q o)). lra.
Qed.
(** Where y is below nothing every outcome counts. *)
Lemma stick_all {O} (l : list O) x y p q : 0 <= x -> y <= 0 -> nonneg p -> nonneg q ->
  stick l x y p q = x * sum_over l p - y * sum_over l q.
Proof.
  intros X Y P Q. unfold stick. rewrite <- !sum_scal, <- sum_minus. apply sum_ext. intros o _. apply Rmax_right.
  pose proof (P o). pose proof (Q o). nra.
Qed.
Theorem dominated_stick {O X} (l : list O) p q (m : list X) A B :
  nonneg p -> nonneg q -> nonneg A -> nonneg B -> sum_over l p <= sum_over m A -> dominated l p q m A B ->
  forall x y, 0 <= x -> 0 <= y -> stick l x y p q <= stick m x y A B.
Proof.
  intros P Q PA PB S D x y [X0 | <-] Y0. 2: rewrite !stick_second by auto; lra.
  destruct Y0 as [Y0 | <-]. 2: rewrite !stick_first by (auto; lra); nra.
  specialize (D (ln (y / x))). rewrite !hockey_stick, exp_ln in D by (apply Rdiv_lt_0_compat; auto).
  replace x with (x * 1) by ring. replace y with (x * (y / x)) by (field; lra).
  rewrite !stick_scal by lra. apply Rmult_le_compat_l; lra.
Qed.
Lemma dominated_trans {O X Y} (l : list O) p q (m : list X) A B (k : list Y) P Q :
  dominated l p q m A B -> dominated m A B k P Q -> dominated l p q k P Q.
Proof. intros H K eps. specialize (H eps). specialize (K eps). lra. Qed.
Lemma dominated_refl {O} (l : list O) p q : dominated l p q l p q.
Proof. intros eps. lra. Qed.
(** The least delta of what is dominated is at most that of the pair. *)
Lemma dominated_close {O X} (l : list O) p q (m : list X) A B eps del :
  dominated l p q m A B -> close m eps del A B -> close l eps del p q.
Proof. intros D H. apply hockey_is_delta. apply hockey_is_delta in H. specialize (D eps). lra. Qed.

(** ** Masses that move *)

(** More mass on the first side and less on the second dominates. *)
Lemma dominated_monotone {O} (l : list O) p q A B :
  (forall o, p o <= A o) -> (forall o, B o <= q o) -> dominated l p q l A B.
Proof.
  intros P Q eps. apply sum_le. intros o _. apply Rle_max_compat_l. specialize (P o). specialize (Q o).
  pose proof (exp_pos eps). nra.
Qed.
Lemma Rmax_sum {A} (l : list A) f : Rmax 0 (sum_over l f) <= sum_over l (fun a => Rmax 0 (f a)).
Proof.
  apply Rmax_lub. apply sum_nonneg. intros; apply Rmax_l. apply sum_le. intros. apply Rmax_r.
Qed.
(** Post-processing never increases a hockey-stick divergence. *)
Theorem dominated_post {O O'} (l : list O) (l' : list O') (K : O -> O' -> R) p q :
  (forall o, distribution l' (K o)) -> dominated l' (post l K p) (post l K q) l p q.
Proof.
  intros HK eps. unfold hockey, post.
  apply Rle_trans with (sum_over l' (fun o' => sum_over l (fun o => K o o' * Rmax 0 (p o - exp eps * q o)))).
  - apply sum_le. intros o' _. rewrite <- sum_scal, <- sum_minus.
    eapply Rle_trans. apply Rmax_sum. apply sum_le. intros o _. rewrite <- Rmax_scal by apply HK.
    apply Req_le. f_equal. ring.
  - rewrite sum_swap. apply sum_le. intros o _. rewrite sum_scal_r. destruct (HK o) as [_ ->]. lra.
Qed.
(** Mixtures: a pair that dominates every part dominates their mixture (joint convexity). *)
Definition mixture {I O} (w : list I) (weight : I -> R) (P : I -> O -> R) (o : O) := sum_over w (fun i => weight i * P i o).
Theorem joint_convexity {I O} (w : list I) weight (l : list O) (P Q : I -> O -> R) eps : (forall i, 0 <= weight i) ->
  hockey l eps (mixture w weight P) (mixture w weight Q) <= sum_over w (fun i => weight i * hockey l eps (P i) (Q i)).
Proof.
  intros W. unfold hockey, mixture. rewrite (sum_ext w _ (fun i => sum_over l (fun o => weight i * Rmax 0 (P i o - exp eps * Q i o)))).
  2: intros; now rewrite sum_scal. rewrite <- sum_swap. apply sum_le. intros o _. rewrite <- sum_scal, <- sum_minus.
  eapply Rle_trans. apply Rmax_sum. apply sum_le. intros i _. rewrite <- Rmax_scal by auto. apply Req_le. f_equal. ring.
Qed.
Theorem dominated_mixture {I O X} (w : list I) weight (l : list O) (P Q : I -> O -> R) (m : list X) A B :
  distribution w weight -> (forall i, In i w -> dominated l (P i) (Q i) m A B) ->
  dominated l (mixture w weight P) (mixture w weight Q) m A B.
Proof.
  intros [W S] H eps. eapply Rle_trans. now apply joint_convexity.
  rewrite <- (Rmult_1_l (hockey m eps A B)), <- S, <- sum_scal_r. apply sum_le. intros i I'.
  apply Rmult_le_compat_l. apply W. now apply H.
Qed.

(** ** Composition *)

Definition times {X Y} (A : X -> R) (B : Y -> R) (o : X * Y) := A (fst o) * B (snd o).
Theorem dominated_joined {A B C X Y} (c : A -> B -> C) l1 l2 p1 q1 p2 q2 p q (m1 : list X) A1 B1 (m2 : list Y) A2 B2 :
  product c p1 p2 p -> product c q1 q2 q -> distribution l1 p1 -> nonneg q1 ->
  (forall a, distribution (l2 a) (p2 a)) -> (forall a, nonneg (q2 a)) ->
  nonneg A1 -> nonneg B1 -> 1 <= sum_over m1 A1 -> nonneg A2 -> nonneg B2 -> 1 <= sum_over m2 A2 ->
  dominated l1 p1 q1 m1 A1 B1 -> (forall a, In a l1 -> dominated (l2 a) (p2 a) (q2 a) m2 A2 B2) ->
  dominated (joined c l1 l2) p q (list_prod m1 m2) (times A1 A2) (times B1 B2).
Proof.
  intros Pp Pq [N1 S1] M1 S2 M2 NA1 NB1 SA1 NA2 NB2 SA2 D1 D2 eps. pose proof (exp_pos eps) as E.
  apply Rle_trans with (sum_over l1 (fun a => stick m2 (p1 a) (exp eps * q1 a) A2 B2)).
  { unfold hockey. rewrite sum_joined. apply sum_le. intros a I.
    apply Rle_trans with (stick (l2 a) (p1 a) (exp eps * q1 a) (p2 a) (q2 a)).
    apply sum_le. intros b _. rewrite Pp, Pq. apply Req_le. f_equal. ring.
    destruct (S2 a) as [N S]. apply dominated_stick; auto. lra. pose proof (M1 a). nra. }
  apply Rle_trans with (sum_over m2 (fun y => stick l1 (A2 y) (exp eps * B2 y) p1 q1)).
  { unfold stick. rewrite sum_swap. apply sum_le. intros y _. apply sum_le. intros a _. apply Req_le. f_equal. ring. }
  apply Rle_trans with (sum_over m2 (fun y => stick m1 (A2 y) (exp eps * B2 y) A1 B1)).
  { apply sum_le. intros y _. apply dominated_stick; auto. lra. pose proof (NB2 y). nra. }
  unfold hockey, stick. rewrite sum_prod, sum_swap. apply sum_le. intros x _. apply sum_le. intros y _.
  apply Req_le. unfold times. simpl. f_equal. ring.
Qed.
(** What is dominated stays so under products: lower bounds compose too. *)
Theorem dominated_times {A B X Y} (l1 : list A) (l2 : list B) p1 q1 p2 q2 (m1 : list X) A1 B1 (m2 : list Y) A2 B2 :
  nonneg p1 -> nonneg q1 -> nonneg p2 -> nonneg q2 -> nonneg A1 -> nonneg B1 -> nonneg A2 -> nonneg B2 ->
  sum_over l1 p1 <= sum_over m1 A1 -> sum_over l2 p2 <= sum_over m2 A2 ->
  dominated l1 p1 q1 m1 A1 B1 -> dominated l2 p2 q2 m2 A2 B2 ->
  dominated (list_prod l1 l2) (times p1 p2) (times q1 q2) (list_prod m1 m2) (times A1 A2) (times B1 B2).
Proof.
  intros N1 M1 N2 M2 NA1 NB1 NA2 NB2 S1 S2 D1 D2 eps. pose proof (exp_pos eps) as E.
  apply Rle_trans with (sum_over l1 (fun a => stick m2 (p1 a) (exp eps * q1 a) A2 B2)).
  { unfold hockey. rewrite sum_prod. apply sum_le. intros a _.
    apply Rle_trans with (stick l2 (p1 a) (exp eps * q1 a) p2 q2).
    apply sum_le. intros b _. apply Req_le. unfold times. simpl. f_equal. ring.
    apply dominated_stick; auto. pose proof (M1 a). nra. }
  apply Rle_trans with (sum_over m2 (fun y => stick l1 (A2 y) (exp eps * B2 y) p1 q1)).
  { unfold stick. rewrite sum_swap. apply sum_le. intros y _. apply sum_le. intros a _. apply Req_le. f_equal. ring. }
  apply Rle_trans with (sum_over m2 (fun y => stick m1 (A2 y) (exp eps * B2 y) A1 B1)).
  { apply sum_le. intros y _. apply dominated_stick; auto. pose proof (NB2 y). nra. }
  unfold hockey, stick. rewrite sum_prod, sum_swap. apply sum_le. intros x _. apply sum_le. intros y _.
  apply Req_le. unfold times. simpl. f_equal. ring.
Qed.

(** A pair of measures, with the list of its outcomes. *)
Record measures X := { outcomes : list X; first : X -> R; second : X -> R }.
Arguments outcomes {X}. Arguments first {X}. Arguments second {X}.
Definition dominating {X} (m : measures X) :=
  nonneg (first m) /\ nonneg (second m) /\ 1 <= sum_over (outcomes m) (first m).
(** The product of a list of pairs: an outcome is a list, one entry a pair. *)
Fixpoint product_outcomes {X} (ms : list (measures X)) : list (list X) :=
  match ms with [] => [[]] | m :: ms => joined cons (outcomes m) (fun _ => product_outcomes ms) end.
Fixpoint product_mass {X} (side : measures X -> X -> R) (ms : list (measures X)) (t : list X) : R :=
  match ms, t with [], [] => 1 | m :: ms, x :: t => side m x * product_mass side ms t | _, _ => 0 end.
Lemma product_nonneg {X} side (ms : list (measures X)) : (forall m, In m ms -> nonneg (side m)) ->
  nonneg (product_mass side ms).
Proof.
  induction ms as [ | m ms IH]; intros H [ | x t]; simpl; try lra. apply Rmult_le_pos.
  apply H. now left. apply IH. intros k I. apply H. now right.
Qed.
Lemma product_total {X} (ms : list (measures X)) : (forall m, In m ms -> dominating m) ->
  1 <= sum_over (product_outcomes ms) (product_mass first ms).
Proof.
  induction ms as [ | m ms IH]; intros H; simpl. lra. rewrite sum_joined. simpl.
  rewrite (sum_ext _ _ (fun a => first m a * sum_over (product_outcomes ms) (product_mass first ms))).
  2: intros; now rewrite sum_scal. rewrite sum_scal_r. destruct (H m (or_introl eq_refl)) as (_ & _ & T).
  specialize (IH (fun k I => H k (or_intror I))). nra.
Qed.
(** The i-th question is dominated by the i-th pair, whatever the answers before. *)
Fixpoint dominated_by {D O X} (neighbours : D -> D -> Prop) (l : list O) (ms : list (measures X))
    (it : interaction D O) : Prop :=
  match it, ms with
  | stop, _ => True
  | ask _ _, [] => False
  | ask M next, m :: ms =>
      (forall d d', neighbours d d' -> dominated l (M d) (M d') (outcomes m) (first m) (second m))
      /\ forall o, dominated_by neighbours l ms (next o)
  end.
Theorem dominating_pairs_compose {D O X} neighbours (l : list O) (it : interaction D O) : asks_mechanisms l it ->
  forall ms : list (measures X), (forall m, In m ms -> dominating m /\ sum_over (outcomes m) (second m) <= 1) ->
  dominated_by neighbours l ms it -> forall d d', neighbours d d' ->
  dominated (transcripts l it) (mass it d) (mass it d')
            (product_outcomes ms) (product_mass first ms) (product_mass second ms).
Proof.
  induction it as [ | M next IH]; intros P ms G B d d' N eps.
  - (* nothing is asked: 1 against 1 *)
    assert (NF : nonneg (product_mass first ms)) by (apply product_nonneg; intros m I; apply (G m I)).
    assert (NS : nonneg (product_mass second ms)) by (apply product_nonneg; intros m I; apply (G m I)).
    pose proof (product_total ms (fun m I => proj1 (G m I))) as T.
    assert (U : sum_over (product_outcomes ms) (product_mass second ms) <= 1).
    { clear - G. induction ms as [ | m ms IH]; simpl. lra. rewrite sum_joined. simpl.
      rewrite (sum_ext _ _ (fun a => second m a * sum_over (product_outcomes ms) (product_mass second ms))).
      2: intros; now rewrite sum_scal. rewrite sum_scal_r. destruct (G m (or_introl eq_refl)) as [(_ & NS & _) T].
      specialize (IH (fun k I => G k (or_intror I))). pose proof (sum_nonneg (outcomes m) _ (fun a _ => NS a)).
      assert (nonneg (product_mass second ms)) by (apply product_nonneg; intros k I; apply (G k (or_intror I))).
      pose proof (sum_nonneg (product_outcomes ms) _ (fun a _ => H0 a)). nra. }
    unfold hockey at 1. simpl. pose proof (exp_pos eps). apply Rle_trans with (Rmax 0 (1 - exp eps * 1)). lra.
    apply Rmax_lub. apply hockey_nonneg.
    apply Rle_trans with (sum_over (product_outcomes ms) (fun t => product_mass first ms t - exp eps * product_mass second ms t)).
    rewrite sum_minus, sum_scal. nra. apply sum_le. intros. apply Rmax_r.
  - destruct ms as [ | m ms]. easy. destruct P as [PM P]. destruct B as [B B'].
    destruct (G m (or_introl eq_refl)) as [(NF & NS & T) U].
    pose proof (fun k I => G k (or_intror I)) as G'.
    assert (K : forall (Z : Type) (l : list Z) p q m1 m2, dominated l p q (list_prod (outcomes m) (product_outcomes ms)) m1 m2 ->
      m1 = times (first m) (product_mass first ms) -> m2 = times (second m) (product_mass second ms) ->
      hockey l eps p q <= hockey (product_outcomes (m :: ms)) eps (product_mass first (m :: ms)) (product_mass second (m :: ms))).
    { intros Z k p q m1 m2 H -> ->. eapply Rle_trans. apply H. unfold hockey. simpl product_outcomes.
      rewrite sum_prod, sum_joined. apply Req_le. reflexivity. }
    eapply K; [ | reflexivity | reflexivity].
    apply (dominated_joined cons l (fun o => transcripts l (next o)) (M d) (M d') (fun o => mass (next o) d)
             (fun o => mass (next o) d')); auto using mass_product.
    exact (proj1 (PM d')). intros o. now apply transcripts_mechanism.
    intros o. exact (mass_nonneg l (next o) d' (P o)).
    apply product_nonneg. intros k I. apply (G' k I). apply product_nonneg. intros k I. apply (G' k I).
    apply product_total. intros k I. apply (G' k I).
Qed.
