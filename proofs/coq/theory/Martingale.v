(** * Azuma's inequality on finite trees

    A process asks one question after the other (Interaction.v);
      each answer brings an increment that depends on all the
    answers so far, lies in an interval of known width, and has a mean of at most zero given the past.

    Proved here: the exponential moment of the sum, by Hoeffding's lemma for each answer; the tail of the sum, for
    intervals of widths c_i: the chance of at least x is at most exp(-2 x^2 / sum c_i^2), and for |increments| <=
      c_i, whose
    widths are 2 c_i, at most exp(-x^2 / (2 sum c_i^2)). *)
From Dpref Require Import Finite Interaction Convexity Conversion Concentrated.

(** An increment for each answer, as a function of the answers before it and of the answer. *)
Definition increments O := list O -> O -> R.
Fixpoint total_of {O} (inc : increments O) (past : list O) (t : list O) : R :=
  match t with [] => 0 | o :: t => inc past o + total_of inc (past ++ [o]) t end.
(** Along every transcript: each increment lies between lo and lo + c, c > 0, has a mean of at most zero, and the
    squares of
    the widths add up to at most v. *)
Fixpoint martingale {D O} (l : list O) (d : D) (inc : increments O) (past : list O) v (it : interaction D O) : Prop :=
  match it with
  | stop => 0 <= v
  | ask M next => exists lo c, 0 < c /\ (forall o, In o l -> 0 < M d o -> lo <= inc past o <= lo + c)
                  /\ mean l (M d) (inc past) <= 0
                  /\ forall o, martingale l d inc (past ++ [o]) (v - c * c) (next o)
  end.
Theorem exponential_moment {D O} (l : list O) (d : D) inc (it : interaction D O) s : 0 <= s -> asks_mechanisms l it ->
  forall past v, martingale l d inc past v it ->
  sum_over (transcripts l it) (fun t => mass it d t * exp (s * total_of inc past t)) <= exp (s * s * v / 8).
Proof.
  intros S. induction it as [ | M next IH]; intros P past v B.
  - simpl. rewrite Rmult_0_r, exp_0. simpl in B. pose proof (exp_ineq1_le (s * s * v / 8)).
    assert (0 <= s * s * v) by (repeat apply Rmult_le_pos; auto). lra.
  - destruct P as [PM P]. destruct B as (lo & c & C & I & Z & B). simpl transcripts. rewrite sum_joined.
    apply Rle_trans with (sum_over l (fun o => exp (s * s * (v - c * c) / 8) * (M d o * exp (s * inc past o)))).
    + apply sum_le. intros o J. simpl.
      rewrite (sum_ext _ _ (fun t => (M d o * exp (s * inc past o)) * (mass (next o) d t * exp (s * total_of inc
        (past ++ [o]) t)))).
      2: { intros t _. rewrite Rmult_plus_distr_l, exp_plus. ring. }
      rewrite sum_scal, Rmult_comm. apply Rmult_le_compat_r. apply Rmult_le_pos. apply PM. left; apply exp_pos.
      now apply IH.
    + rewrite sum_scal. pose proof (hoeffding_lemma l (M d) (inc past) lo (lo + c) s (PM d) ltac:(lra) I) as H.
      replace (lo + c - lo) with c in H by ring.
      apply Rle_trans with (exp (s * s * (v - c * c) / 8) * exp (s * s * (c * c) / 8)).
      * apply Rmult_le_compat_l. left; apply exp_pos. eapply Rle_trans. apply H. apply exp_mono. nra.
      * rewrite <- exp_plus. right. f_equal. field.
Qed.
(** The chance that the sum is at least x. *)
Definition chance_above {D O} (l : list O) (d : D) inc (it : interaction D O) x :=
  sum_over (transcripts l it) (fun t => if Rle_dec x (total_of inc [] t) then mass it d t else 0).
(** $P[\sum X_i\ge x]\le e^{-2x^2/\sum c_i^2}$. *)
Theorem azuma {D O} (l : list O) (d : D) inc (it : interaction D O) v x : 0 < v -> 0 <= x -> asks_mechanisms l it ->
  martingale l d inc [] v it -> chance_above l d inc it x <= exp (- (2 * (x * x)) / v).
Proof.
  intros V X P B. set (s := 4 * x / v). assert (S : 0 <= s) by (apply Rmult_le_pos; [lra | left;
    now apply Rinv_0_lt_compat]).
  pose proof (exponential_moment l d inc it s S P [] v B) as E.
  apply Rle_trans with (exp (- (s * x)) * exp (s * s * v / 8)).
  - apply Rle_trans with (exp (- (s * x)) * sum_over (transcripts l it) (fun t => mass it d t * exp (s * total_of inc
      [] t))).
    2: apply Rmult_le_compat_l; auto; left; apply exp_pos.
    unfold chance_above. rewrite <- sum_scal. apply sum_le. intros t _. pose proof (mass_nonneg l it d P t) as N.
    replace (exp (- (s * x)) * (mass it d t * exp (s * total_of inc [] t))) with (mass it d t * exp (s * (total_of
      inc [] t - x))).
    2: { replace (s * (total_of inc [] t - x)) with (- (s * x) + s * total_of inc [] t) by ring. rewrite exp_plus.
    ring. }
    destruct (Rle_dec x (total_of inc [] t)). 2: apply Rmult_le_pos; [auto | left; apply exp_pos].
    pose proof (exp_ineq1_le (s * (total_of inc [] t - x))).
    assert (0 <= s * (total_of inc [] t - x)) by (apply Rmult_le_pos; lra). nra.
  - rewrite <- exp_plus. right. f_equal. unfold s. field. lra.
Qed.
(** $P[\sum X_i\ge x]\le e^{-x^2/(2\sum c_i^2)}$ for $|X_i|\le c_i$, whose intervals have the widths $2c_i$. *)
Corollary azuma_symmetric {D O} (l : list O) (d : D) inc (it : interaction D O) v x : 0 < v -> 0 <= x ->
  asks_mechanisms l it ->
  martingale l d inc [] (4 * v) it -> chance_above l d inc it x <= exp (- (x * x) / (2 * v)).
Proof.
  intros V X P B. replace (- (x * x) / (2 * v)) with (- (2 * (x * x)) / (4 * v)) by (field; lra). apply azuma; auto.
  lra.
Qed.
