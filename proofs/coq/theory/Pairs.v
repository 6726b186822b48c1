(** * The pair of one guarantee, and optimal composition

    Proved here: everything that is (eps, del)-differentially private in both directions is dominated by one pair with
    four outcomes, which is (eps, del)-private itself, so that its products give the exact delta of adaptive composition
    (Kairouz, Oh and Viswanath 2015, Theorem 3.3). *)
From Dpref Require Import Finite Interaction Approximate Dominance.

(** ** Convexity of the divergence in its weights *)

Lemma Rmax_plus a b : Rmax 0 (a + b) <= Rmax 0 a + Rmax 0 b.
Proof. unfold Rmax. repeat destruct (Rle_dec _ _); lra. Qed.
Lemma stick_plus {O} (l : list O) x y x' y' p q : stick l (x + x') (y + y') p q <= stick l x y p q + stick l x' y' p q.
Proof.
  unfold stick. rewrite <- sum_plus. apply sum_le. intros o _. eapply Rle_trans. 2: apply Rmax_plus.
  apply Req_le. f_equal. ring.
Qed.
Lemma stick_antitone {O} (l : list O) x y y' p q : nonneg q -> y <= y' -> stick l x y' p q <= stick l x y p q.
Proof. intros Q H. apply sum_le. intros o _. apply Rle_max_compat_l. pose proof (Q o). nra. Qed.
Lemma stick_le_first {O} (l : list O) x y p q : 0 <= x -> 0 <= y -> nonneg p -> nonneg q ->
  stick l x y p q <= x * sum_over l p.
Proof.
  intros X Y P Q. rewrite <- (stick_first l x p q) by auto. now apply stick_antitone.
Qed.
(** A divergence in the other direction: with y on the first side. *)
Lemma stick_reverse {O} (l : list O) x y p q :
  stick l x y p q = x * sum_over l p - y * sum_over l q + stick l y x q p.
Proof.
  unfold stick. rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros o _.
  unfold Rmax. repeat destruct (Rle_dec _ _); lra.
Qed.

(** ** The pair of one guarantee *)

(** Outcomes 0 and 3 have mass on one side only, outcomes 1 and 2 are randomised response. *)
Definition guarantee_outcomes : list nat := [0; 1; 2; 3]%nat.
Definition guarantee_first eps del (o : nat) :=
  match o with 0%nat => del | 1%nat => (1 - del) * exp eps / (exp eps + 1) | 2%nat => (1 - del) / (exp eps + 1) | _ => 0 end.
Definition guarantee_second eps del (o : nat) :=
  match o with 0%nat => 0 | 1%nat => (1 - del) / (exp eps + 1) | 2%nat => (1 - del) * exp eps / (exp eps + 1) | _ => del end.
Definition guarantee_pair eps del : measures nat :=
  {| outcomes := guarantee_outcomes; first := guarantee_first eps del; second := guarantee_second eps del |}.

Lemma share_bounds eps del : 0 <= del <= 1 ->
  0 <= (1 - del) * exp eps / (exp eps + 1) /\ 0 <= (1 - del) / (exp eps + 1).
Proof.
  intros H. pose proof (exp_pos eps). split; apply Rmult_le_pos; try (left; apply Rinv_0_lt_compat; lra); nra.
Qed.
Lemma guarantee_distribution eps del : 0 <= del <= 1 ->
  distribution guarantee_outcomes (guarantee_first eps del) /\ distribution guarantee_outcomes (guarantee_second eps del).
Proof.
  intros H. destruct (share_bounds eps del H). pose proof (exp_pos eps).
  repeat split; try (intros [ | [ | [ | o]]]; simpl; lra); simpl; field; lra.
Qed.
Theorem guarantee_pair_is_private eps del : 0 <= eps -> 0 <= del <= 1 ->
  close guarantee_outcomes eps del (guarantee_first eps del) (guarantee_second eps del)
  /\ close guarantee_outcomes eps del (guarantee_second eps del) (guarantee_first eps del).
Proof.
  intros E H. destruct (share_bounds eps del H) as [S1 S2]. pose proof (exp_pos eps) as P. pose proof (exp_ineq1_le eps).
  assert (K : exp eps * ((1 - del) / (exp eps + 1)) = (1 - del) * exp eps / (exp eps + 1)) by (field; lra).
  split; apply hockey_is_delta; unfold hockey; simpl; unfold Rmax; repeat destruct (Rle_dec _ _); nra.
Qed.
(** It dominates all that is (eps, del)-private in both directions. *)
Theorem guarantee_dominates {O} (l : list O) p q eps del : 0 <= eps -> 0 <= del <= 1 ->
  distribution l p -> distribution l q -> close l eps del p q -> close l eps del q p ->
  dominated l p q guarantee_outcomes (guarantee_first eps del) (guarantee_second eps del).
Proof.
  intros E0 [D0 D1] [P Sp] [Q Sq] C C' x. apply hockey_is_delta in C. apply hockey_is_delta in C'.
  rewrite hockey_stick in C, C'. pose proof (exp_pos eps) as E. pose proof (exp_pos x) as X. pose proof (exp_ineq1_le eps).
  destruct (guarantee_distribution eps del (conj D0 D1)) as [[GP _] [GQ _]].
  set (r := (1 - del) / (exp eps + 1)).
  assert (R0 : 0 <= r) by (apply (share_bounds eps del); lra).
  assert (RE : r * (exp eps + 1) = 1 - del) by (unfold r; field; lra).
  assert (V : forall y, 0 <= y -> stick guarantee_outcomes 1 y (guarantee_first eps del) (guarantee_second eps del)
          = del + r * Rmax 0 (exp eps - y) + r * Rmax 0 (1 - y * exp eps)).
  { intros y Y. unfold stick. simpl. fold r.
    replace ((1 - del) * exp eps / (exp eps + 1)) with (r * exp eps) by (unfold r; field; lra).
    rewrite (Rmax_right 0 (1 * del - y * 0)) by lra. rewrite (Rmax_left 0 (1 * 0 - y * del)) by nra.
    rewrite <- !Rmax_scal by exact R0. replace (1 * (r * exp eps) - y * r) with (r * (exp eps - y)) by ring.
    replace (1 * r - y * (r * exp eps)) with (r * (1 - y * exp eps)) by ring. ring. }
  rewrite !hockey_stick, V by lra. generalize dependent (exp x). clear x V. intros y Y.
  assert (I : exp eps * exp (- eps) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). pose proof (exp_pos (- eps)) as J.
  (* at exp(-eps): by the other direction *)
  assert (L : stick l 1 (exp (- eps)) p q <= 1 - exp (- eps) + exp (- eps) * del).
  { pose proof (stick_scal l (exp (- eps)) 1 (exp eps) q p ltac:(lra)) as T.
    rewrite Rmult_1_r, Rmult_comm, I in T. rewrite stick_reverse, Sp, Sq, T. nra. }
  destruct (Rle_lt_dec (exp eps) y) as [Hy | Hy].
  { rewrite (Rmax_left 0 (exp eps - y)), (Rmax_left 0 (1 - y * exp eps)) by nra.
    pose proof (stick_antitone l 1 _ _ p q Q Hy). lra. }
  rewrite (Rmax_right 0 (exp eps - y)) by lra.
  destruct (Rle_lt_dec y (exp (- eps))) as [Hl | Hl].
  - (* between (1, 0) and (1, exp(-eps)) *)
    rewrite Rmax_right by nra. set (s := y * exp eps). assert (S : 0 <= s <= 1) by (unfold s; nra).
    pose proof (stick_plus l ((1 - s) * 1) ((1 - s) * 0) (s * 1) (s * exp (- eps)) p q) as T.
    rewrite !stick_scal, stick_first, Sp in T by (auto; lra). replace ((1 - s) * 1 + s * 1) with 1 in T by ring.
    replace ((1 - s) * 0 + s * exp (- eps)) with y in T by (unfold s; nra).
    assert (s * stick l 1 (exp (- eps)) p q <= s * (1 - exp (- eps) + exp (- eps) * del)) by (apply Rmult_le_compat_l; lra).
    assert (s * exp (- eps) = y) by (unfold s; nra).
    replace (del + r * (exp eps - y) + r * (1 - s)) with (del + (r * (exp eps + 1)) * (1 - y)) by (unfold s; ring).
    rewrite RE. nra.
  - (* between (1, exp(-eps)) and (1, exp(eps)) *)
    rewrite Rmax_left by nra.
    set (w := exp eps - exp (- eps)). assert (W : 0 < w) by (unfold w; lra).
    set (s := (exp eps - y) / w). assert (Sw : s * w = exp eps - y) by (unfold s; field; lra).
    assert (S : 0 <= s <= 1) by (unfold w in *; split; nra).
    pose proof (stick_plus l (s * 1) (s * exp (- eps)) ((1 - s) * 1) ((1 - s) * exp eps) p q) as T.
    rewrite !stick_scal in T by lra. replace (s * 1 + (1 - s) * 1) with 1 in T by ring.
    replace (s * exp (- eps) + (1 - s) * exp eps) with y in T by (unfold w in *; nra).
    assert (r * (exp eps - y) = s * (1 - del) * (1 - exp (- eps))).
    { rewrite <- Sw, <- RE. unfold w. replace (exp eps - exp (- eps)) with ((exp eps + 1) * (1 - exp (- eps))) by lra. ring. }
    assert (s * stick l 1 (exp (- eps)) p q <= s * (1 - exp (- eps) + exp (- eps) * del)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - s) * stick l 1 (exp eps) p q <= (1 - s) * del) by (apply Rmult_le_compat_l; lra). nra.
Qed.

(** ** Optimal composition *)

(** (eps_i, del_i)-private questions, whatever the answers before; neighbours are so in both directions. *)
Fixpoint asks_dp {D O} (neighbours : D -> D -> Prop) (l : list O) (losses : list (R * R)) (it : interaction D O) : Prop :=
  match it, losses with
  | stop, _ => True
  | ask _ _, [] => False
  | ask M next, (eps, del) :: losses => DP neighbours l eps del M /\ forall o, asks_dp neighbours l losses (next o)
  end.
Definition guarantee_pairs (losses : list (R * R)) := map (fun x => guarantee_pair (fst x) (snd x)) losses.
Definition optimal_delta (losses : list (R * R)) eps :=
  hockey (product_outcomes (guarantee_pairs losses)) eps
         (product_mass first (guarantee_pairs losses)) (product_mass second (guarantee_pairs losses)).
Theorem optimal_composition {D O} (neighbours : D -> D -> Prop) (l : list O) losses (it : interaction D O) eps :
  (forall d d', neighbours d d' -> neighbours d' d) -> (forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) ->
  asks_mechanisms l it -> asks_dp neighbours l losses it ->
  DP neighbours (transcripts l it) eps (optimal_delta losses eps) (mass it).
Proof.
  intros Sy L P B d d' N. apply hockey_is_delta. unfold optimal_delta.
  apply (dominating_pairs_compose neighbours l it P (guarantee_pairs losses)); auto.
  - intros m I. apply in_map_iff in I. destruct I as (x & <- & I). destruct (L x I) as [_ D0].
    destruct (guarantee_distribution (fst x) (snd x) D0) as [[N1 S1] [N2 S2]].
    repeat split; auto; simpl outcomes; simpl first; simpl second; lra.
  - clear N d d'. revert losses L B. induction it as [ | M next IH]; intros [ | [e x] losses] L B; simpl; auto.
    destruct P as [PM P]. destruct B as [H B]. split.
    + intros d d' N. destruct (L (e, x) (or_introl eq_refl)). apply guarantee_dominates; auto.
    + intros o. apply IH; auto. intros y I. apply L. now right.
Qed.
(** Nothing smaller holds: the pairs themselves, asked one after the other, are such mechanisms, and have that delta. *)
Fixpoint ask_pairs (losses : list (R * R)) : interaction bool nat :=
  match losses with
  | [] => stop
  | (eps, del) :: losses =>
      ask (fun d : bool => if d then guarantee_first eps del else guarantee_second eps del) (fun _ => ask_pairs losses)
  end.
Theorem optimal_composition_is_attained losses : (forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) ->
  asks_mechanisms guarantee_outcomes (ask_pairs losses)
  /\ asks_dp (fun d d' => d <> d') guarantee_outcomes losses (ask_pairs losses)
  /\ forall eps, hockey (transcripts guarantee_outcomes (ask_pairs losses)) eps (mass (ask_pairs losses) true)
                   (mass (ask_pairs losses) false) = optimal_delta losses eps.
Proof.
  intros L.
  assert (T : transcripts guarantee_outcomes (ask_pairs losses) = product_outcomes (guarantee_pairs losses)).
  { clear L. induction losses as [ | [e x] losses IH]; simpl; auto. now rewrite IH. }
  assert (W : forall t, mass (ask_pairs losses) true t = product_mass first (guarantee_pairs losses) t
                     /\ mass (ask_pairs losses) false t = product_mass second (guarantee_pairs losses) t).
  { clear L T. induction losses as [ | [e x] losses IH]; intros [ | o t]; simpl; auto.
    destruct (IH t) as [-> ->]. auto. }
  split; [ | split].
  - clear T W. induction losses as [ | [e x] losses IH]; simpl; auto. split.
    destruct (L (e, x) (or_introl eq_refl)) as [_ H]. destruct (guarantee_distribution e x H). now intros [ | ].
    intros _. apply IH. intros y I. apply L. now right.
  - clear T W. induction losses as [ | [e x] losses IH]; simpl; auto. split.
    destruct (L (e, x) (or_introl eq_refl)) as [H0 H]. destruct (guarantee_pair_is_private e x H0 H).
    intros [ | ] [ | ] N; auto; now destruct N.
    intros _. apply IH. intros y I. apply L. now right.
  - intros eps. rewrite T. unfold optimal_delta. apply sum_ext. intros t _. now destruct (W t) as [-> ->].
Qed.
