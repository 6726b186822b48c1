(** * Cells, merged outcomes, and samples of a pair

    Proved here: the mass of an outcome, split between the ends of its cell so that both sides' masses remain, dominates
    (connecting the dots); outcomes with one ratio are one outcome; the pair of a sample, removed and added (Zhu, Dong and
    Wang 2022, Theorem 11); two steps to a neighbour, at every epsilon; moment generating functions multiply, and the tail
    that they bound. *)
From Dpref Require Import Finite Interaction Approximate Dominance Pairs.

(** ** Connecting the dots *)

Section Split.
  Context {O : Type} (l : list O) (p q lo hi : O -> R).
  Definition split_outcomes := list_prod l [false; true].
  Definition split_second (o : O * bool) :=
    let (o, high) := o in if high then (p o - lo o * q o) / (hi o - lo o) else (hi o * q o - p o) / (hi o - lo o).
  Definition split_first (o : O * bool) := (if snd o then hi (fst o) else lo (fst o)) * split_second o.
  Lemma split_sides o : lo o < hi o ->
    split_first (o, false) + split_first (o, true) = p o /\ split_second (o, false) + split_second (o, true) = q o.
  Proof. intros H. unfold split_first, split_second. simpl. split; field; lra. Qed.
  Lemma split_nonneg : (forall o, 0 <= lo o < hi o /\ lo o * q o <= p o <= hi o * q o) -> nonneg split_second /\ nonneg split_first.
  Proof.
    intros H. assert (S : nonneg split_second).
    { intros [o b]. unfold split_second. destruct (H o). destruct b; apply Rmult_le_pos; try lra; left; apply Rinv_0_lt_compat; lra. }
    split; auto. intros [o b]. unfold split_first. simpl. apply Rmult_le_pos; [ | exact (S (o, b))]. destruct (H o), b; lra.
  Qed.
  (** Both outcomes that o is split into have an end of its cell as their ratio; together they dominate. *)
  Theorem connect_the_dots : (forall o, In o l -> lo o < hi o) ->
    dominated l p q split_outcomes split_first split_second.
  Proof.
    intros H eps. unfold hockey, split_outcomes. rewrite sum_prod. apply sum_le. intros o I. simpl sum_over.
    destruct (split_sides o (H o I)) as [F S]. rewrite Rplus_0_r.
    replace (p o - exp eps * q o) with ((split_first (o, false) - exp eps * split_second (o, false))
      + (split_first (o, true) - exp eps * split_second (o, true))) by (rewrite <- F, <- S; ring).
    apply Rmax_plus.
  Qed.
  Lemma split_totals : (forall o, In o l -> lo o < hi o) ->
    sum_over split_outcomes split_first = sum_over l p /\ sum_over split_outcomes split_second = sum_over l q.
  Proof.
    intros H. unfold split_outcomes. rewrite !sum_prod. split; apply sum_ext; intros o I;
      destruct (split_sides o (H o I)) as [F S]; cbn -[split_first split_second Rplus]; [rewrite <- F | rewrite <- S]; ring.
  Qed.
End Split.
(** Outcomes with one ratio r count as one. *)
Theorem merge_one_ratio {O} (l : list O) p q r eps : nonneg q -> (forall o, In o l -> p o = r * q o) ->
  hockey l eps p q = Rmax 0 (sum_over l p - exp eps * sum_over l q).
Proof.
  intros Q H. rewrite (sum_ext l p (fun o => r * q o)) by auto. rewrite sum_scal.
  replace (r * sum_over l q - exp eps * sum_over l q) with (sum_over l q * (r - exp eps)) by ring.
  rewrite Rmax_scal by (apply sum_nonneg; auto). unfold hockey. rewrite <- sum_scal_r. apply sum_ext. intros o I.
  rewrite H, <- Rmax_scal by auto. f_equal. ring.
Qed.

(** ** Samples *)

Definition mix {O} gamma (p q : O -> R) (o : O) := (1 - gamma) * q o + gamma * p o.
Lemma mix_distribution {O} (l : list O) gamma p q : 0 <= gamma <= 1 -> distribution l p -> distribution l q ->
  distribution l (mix gamma p q).
Proof.
  intros G [P Sp] [Q Sq]. split. intros o. pose proof (P o). pose proof (Q o). unfold mix. nra.
  unfold mix. rewrite sum_plus, !sum_scal, Sp, Sq. ring.
Qed.
(** The curve of a removed record, at exp(eps) = y: gamma times the pair's at 1 + (y - 1) / gamma. *)
Lemma removed_curve {O} (l : list O) gamma y p q : stick l 1 y (mix gamma p q) q = stick l gamma (y - (1 - gamma)) p q.
Proof. unfold stick, mix. apply sum_ext. intros. f_equal. ring. Qed.
(** The curve of an added record. *)
Lemma added_curve {O} (l : list O) gamma y p q :
  stick l 1 y p (mix gamma q p) = stick l (1 - y * (1 - gamma)) (y * gamma) p q.
Proof. unfold stick, mix. apply sum_ext. intros. f_equal. ring. Qed.
Theorem removed_sample_dominated {O X} (l : list O) p q (m : list X) A B gamma : 0 <= gamma <= 1 ->
  distribution l p -> distribution l q -> distribution m A -> distribution m B -> dominated l p q m A B ->
  dominated l (mix gamma p q) q m (mix gamma A B) B.
Proof.
  intros G [P Sp] [Q Sq] [PA SA] [PB SB] D eps. rewrite !hockey_stick, !removed_curve.
  destruct (Rle_lt_dec (1 - gamma) (exp eps)).
  - apply dominated_stick; auto; lra.
  - rewrite !stick_all by (auto; lra). rewrite Sp, Sq, SA, SB. lra.
Qed.
Theorem added_sample_dominated {O X} (l : list O) p q (m : list X) A B gamma : 0 <= gamma <= 1 ->
  distribution l p -> distribution l q -> distribution m A -> distribution m B -> dominated l p q m A B ->
  dominated l p (mix gamma q p) m A (mix gamma B A).
Proof.
  intros G [P Sp] [Q Sq] [PA SA] [PB SB] D eps. rewrite !hockey_stick, !added_curve. pose proof (exp_pos eps).
  destruct (Rle_lt_dec 0 (1 - exp eps * (1 - gamma))).
  - apply dominated_stick; auto; nra.
  - apply Rle_trans with 0. 2: apply sum_nonneg; intros; apply Rmax_l.
    rewrite <- (sum_zero l). apply sum_le. intros o _. apply Req_le, Rmax_left. pose proof (P o). pose proof (Q o).
    assert (0 <= exp eps * gamma * q o) by (repeat apply Rmult_le_pos; lra). nra.
Qed.

(** ** Two steps *)

(** For neighbours p, r and r, q: h(ln(a b)) <= h(ln a) + a h(ln b). *)
Theorem two_steps {O} (l : list O) x y p r q :
  hockey l (x + y) p q <= hockey l x p r + exp x * hockey l y r q.
Proof.
  unfold hockey. rewrite <- sum_scal, <- sum_plus. apply sum_le. intros o _. pose proof (exp_pos x).
  rewrite <- Rmax_scal by lra. eapply Rle_trans. 2: apply Rmax_plus. apply Req_le. f_equal. rewrite exp_plus. ring.
Qed.

(** ** Sums of independent losses *)

Definition generating {X} (l : list X) (w : X -> R) (loss : X -> R) s := sum_over l (fun x => w x * exp (s * loss x)).
Theorem generating_product {X Y} (l : list X) (m : list Y) w v (f : X -> R) (g : Y -> R) s :
  generating (list_prod l m) (times w v) (fun o => f (fst o) + g (snd o)) s = generating l w f s * generating m v g s.
Proof.
  unfold generating, times. rewrite sum_prod. rewrite <- sum_scal_r. apply sum_ext. intros x _. rewrite <- sum_scal.
  apply sum_ext. intros y _. simpl. replace (s * (f x + g y)) with (s * f x + s * g y) by ring. rewrite exp_plus. ring.
Qed.
(** The mass where the loss is at least b. *)
Theorem chernoff {X} (l : list X) w loss s b : nonneg w -> 0 <= s ->
  sum_over l (fun x => if Rle_dec b (loss x) then w x else 0) <= exp (- s * b) * generating l w loss s.
Proof.
  intros W S. unfold generating. rewrite <- sum_scal. apply sum_le. intros x _. specialize (W x).
  replace (exp (- s * b) * (w x * exp (s * loss x))) with (w x * exp (s * (loss x - b))).
  2: { replace (s * (loss x - b)) with (- s * b + s * loss x) by ring. rewrite exp_plus. ring. }
  destruct (Rle_dec b (loss x)). 2: apply Rmult_le_pos; [auto | left; apply exp_pos].
  pose proof (exp_ineq1_le (s * (loss x - b))). assert (0 <= s * (loss x - b)) by (apply Rmult_le_pos; lra). nra.
Qed.
