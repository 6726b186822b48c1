(** * Amplification by sampling

    A data set is a list of records.  Proved here: a Poisson sample of it, under adding or removing one record, turns
    (eps, delta) into (ln(1 + q (e^eps - 1)), q delta);
      what dominates the mechanism, mixed, dominates the sampled one; a
    sample of m of n records without replacement does the same with q = m / n, under replacing one record. *)
From Dpref Require Import Finite Interaction Approximate Dominance Pairs Cells.
From Coq Require Import Permutation.

(** $\ln(1+q(e^\varepsilon-1))$ *)
Definition amplified q eps := ln (1 + q * (exp eps - 1)).
Lemma amplified_exp q eps : 0 <= q <= 1 -> exp (amplified q eps) = 1 + q * (exp eps - 1).
Proof. intros H. apply exp_ln. pose proof (exp_pos eps). destruct (Req_dec q 0) as [-> | N]; nra. Qed.

(** ** Mixtures *)

Lemma close_mix {O} (l : list O) gamma eps del p p' q q' : 0 <= gamma <= 1 -> close l eps del p p' ->
  close l eps del q q' ->
  close l eps del (mix gamma p q) (mix gamma p' q').
Proof.
  intros G H H' E. assert (M : forall p q, prob l (mix gamma p q) E = (1 - gamma) * prob l q E + gamma * prob l p E).
  { intros r s. unfold prob, mix. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros o _. destruct (E o); ring.
    }
  rewrite !M. specialize (H E). specialize (H' E).
  apply Rle_trans with ((1 - gamma) * (exp eps * prob l q' E + del) + gamma * (exp eps * prob l p' E + del)).
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra. right; ring.
Qed.
(** A record that is sampled with probability q, against its absence, in both directions. *)
Lemma sampled_removed {O} (l : list O) q eps del p r : 0 <= q <= 1 -> close l eps del p r ->
  close l (amplified q eps) (q * del) (mix q p r) r.
Proof.
  intros G H E. assert (M : prob l (mix q p r) E = (1 - q) * prob l r E + q * prob l p E).
  { unfold prob, mix. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros o _. destruct (E o); ring. }
  rewrite M, amplified_exp by auto. specialize (H E). apply (Rmult_le_compat_l q) in H; lra.
Qed.
Lemma sampled_added {O} (l : list O) q eps del p r : 0 <= q <= 1 -> 0 <= eps -> 0 <= del -> (forall o, 0 <= p o) ->
  (forall o, 0 <= r o) -> distribution l r -> close l eps del r p ->
    close l (amplified q eps) (q * del) r (mix q p r).
Proof.
  intros G E0 D0 P R0 DR H E. assert (M : prob l (mix q p r) E = (1 - q) * prob l r E + q * prob l p E).
  { unfold prob, mix. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros o _. destruct (E o); ring. }
  rewrite M, amplified_exp by auto. specialize (H E). pose proof (exp_ineq1_le eps) as E1.
  assert (PP : 0 <= prob l p E) by (apply sum_nonneg; intros o _; destruct (E o); [apply P | lra]).
  pose proof (prob_bounds l r E DR) as PR. set (x := prob l r E) in *. set (y := prob l p E) in *.
  set (e := exp eps) in *.
  set (k := 1 - (1 + q * (e - 1)) * (1 - q)). assert (K : k = q * (1 - (1 - q) * (e - 1))) by (unfold k; ring).
  assert (KQ : k <= q) by (rewrite K; assert (0 <= q * ((1 - q) * (e - 1))) by (repeat apply Rmult_le_pos; lra); lra).
  assert (B : (1 + q * (e - 1)) * q >= k * e).
  { apply Rle_ge. apply Rminus_le. replace (k * e - (1 + q * (e - 1)) * q) with (- (q * (1 - q) * ((e - 1) * (e -
      1)))) by (unfold k; ring).
    assert (0 <= q * (1 - q) * ((e - 1) * (e - 1))) by (repeat apply Rmult_le_pos; lra). lra. }
  enough (k * x <= (1 + q * (e - 1)) * q * y + q * del) by (unfold k in *; nra).
  destruct (Rle_lt_dec k 0) as [N | N].
  - assert (k * x <= 0) by nra. assert (0 <= (1 + q * (e - 1)) * q * y) by (repeat apply Rmult_le_pos; nra).
    assert (0 <= q * del) by (apply Rmult_le_pos; lra). lra.
  - apply Rle_trans with (k * (e * y + del)). apply Rmult_le_compat_l; lra.
    assert (k * e * y <= (1 + q * (e - 1)) * q * y) by (apply Rmult_le_compat_r; lra).
    assert (k * del <= q * del) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** ** Poisson samples *)

(** Every record is kept with probability q, independently of the others. *)
Fixpoint poisson {X O} q (M : list X -> O -> R) (d : list X) : O -> R :=
  match d with [] => M [] | x :: d => mix q (poisson q (fun s => M (x :: s)) d) (poisson q M d) end.
Lemma poisson_distribution {X O} (l : list O) q (d : list X) : 0 <= q <= 1 -> forall M, mechanism l M ->
  distribution l (poisson q M d).
Proof.
  intros Q. induction d as [ | x d IH]; intros M P; simpl. apply P. apply mix_distribution; auto. apply IH. intros s.
  apply P.
Qed.
Lemma poisson_close {X O} (l : list O) q (d : list X) eps del : 0 <= q <= 1 ->
  forall M M', (forall s, close l eps del (M s) (M' s)) ->
  close l eps del (poisson q M d) (poisson q M' d).
Proof. intros Q. induction d as [ | x d IH]; intros M M' H; simpl. apply H. apply close_mix; auto. Qed.
Lemma cons_remove {X} (x : X) d d' : remove_one d d' -> remove_one (x :: d) (x :: d').
Proof. intros (a & y & b & -> & ->). now exists (x :: a), y, b. Qed.
(** $(\varepsilon,\delta)$-DP on a Poisson sample is $(\ln(1+q(e^\varepsilon-1)),q\delta)$-DP. *)
Theorem poisson_amplification {X O} (l : list O) q eps del (M : list X -> O -> R) :
  0 <= q <= 1 -> 0 <= eps -> 0 <= del -> mechanism l M -> DP add_or_remove_one l eps del M ->
  DP add_or_remove_one l (amplified q eps) (q * del) (poisson q M).
Proof.
  intros Q E D P H.
  assert (T : forall (a : list X) x b M, mechanism l M -> DP add_or_remove_one l eps del M ->
    close l (amplified q eps) (q * del) (poisson q M (a ++ x :: b)) (poisson q M (a ++ b))
    /\ close l (amplified q eps) (q * del) (poisson q M (a ++ b)) (poisson q M (a ++ x :: b))).
  { clear M P H. induction a as [ | y a IH]; intros x b M P H; simpl.
    - assert (N : forall s : list X, remove_one (x :: s) s) by (intros s; now exists [], x, s). split.
      + apply sampled_removed; auto. apply poisson_close; auto. intros s. apply H. left. apply N.
      + assert (PX : mechanism l (fun s => M (x :: s))) by (intros s; apply P).
        pose proof (poisson_distribution l q b Q _ PX) as [N1 _]. pose proof (poisson_distribution l q b Q M P) as DM.
        apply sampled_added; auto. apply DM.
        apply poisson_close; auto. intros s. apply H. right. apply N.
    - destruct (IH x b M P H) as [I1 I2]. assert (PY : mechanism l (fun s => M (y :: s))) by (intros s; apply P).
      assert (HY : DP add_or_remove_one l eps del (fun s => M (y :: s))).
      { intros d d' [N | N]; apply H; [left | right]; now apply cons_remove. }
      destruct (IH x b _ PY HY) as [J1 J2]. split; apply close_mix; auto. }
  intros d d' [(a & x & b & -> & ->) | (a & x & b & -> & ->)]; now apply T.
Qed.
(** What dominates the mechanism where a record is removed, mixed with its second side, dominates the sampled one; and
    likewise where one is added (Zhu, Dong and Wang 2022, Theorem 11). *)
Lemma mix_dominated {O Y} (l : list O) q p p' r r' (m : list Y) A B : 0 <= q <= 1 ->
  dominated l p p' m A B -> dominated l r r' m A B -> dominated l (mix q p r) (mix q p' r') m A B.
Proof.
  intros Q H H' eps. specialize (H eps). specialize (H' eps). unfold hockey in *.
  apply Rle_trans with (sum_over l (fun o => (1 - q) * Rmax 0 (r o - exp eps * r' o) + q * Rmax 0 (p o - exp eps * p'
    o))).
  - apply sum_le. intros o _. rewrite <- !Rmax_scal by lra. eapply Rle_trans. 2: apply Rmax_plus.
    right. f_equal. unfold mix. ring.
  - rewrite sum_plus, !sum_scal. apply Rle_trans with ((1 - q) * sum_over m (fun o => Rmax 0 (A o - exp eps * B o)) +
      q * sum_over m (fun o => Rmax 0 (A o - exp eps * B o))).
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra. right; ring.
Qed.
Lemma poisson_dominated {X O Y} (l : list O) q (d : list X) (m : list Y) A B : 0 <= q <= 1 -> forall M M',
  (forall s, dominated l (M s) (M' s) m A B) -> dominated l (poisson q M d) (poisson q M' d) m A B.
Proof. intros Q. induction d as [ | x d IH]; intros M M' H; simpl. apply H. apply mix_dominated; auto. Qed.
Lemma poisson_mix {X O} q (d : list X) : forall (M M' : list X -> O -> R) o,
  poisson q (fun s => mix q (M s) (M' s)) d o = mix q (poisson q M d) (poisson q M' d) o.
Proof. induction d as [ | x d IH]; intros M M' o; simpl. reflexivity. unfold mix at 1. rewrite !IH. unfold mix. ring.
Qed.
Theorem poisson_pair_removed {X O Y} (l : list O) q (M : list X -> O -> R) (m : list Y) A B :
  0 <= q <= 1 -> mechanism l M -> distribution m A -> distribution m B ->
  (forall d d', remove_one d d' -> dominated l (M d) (M d') m A B) ->
  forall d d', remove_one d d' -> dominated l (poisson q M d) (poisson q M d') m (mix q A B) B.
Proof.
  intros Q P PA PB H d d' (a & x & b & -> & ->). revert M P H. induction a as [ | y a IH]; intros M P H; simpl.
  - intros eps. eapply Rle_trans; [ | apply (poisson_dominated l q b m (mix q A B) B Q (fun s => mix q (M (x :: s))
      (M s)) M)].
    right. unfold hockey. apply sum_ext. intros o _. now rewrite poisson_mix.
    intros s. apply removed_sample_dominated; auto. apply H. now exists [], x, s.
  - apply mix_dominated; auto. apply IH. intros s; apply P. intros e e' N. apply H. now apply cons_remove.
Qed.
Theorem poisson_pair_added {X O Y} (l : list O) q (M : list X -> O -> R) (m : list Y) A B :
  0 <= q <= 1 -> mechanism l M -> distribution m A -> distribution m B ->
  (forall d d', remove_one d d' -> dominated l (M d') (M d) m A B) ->
  forall d d', remove_one d d' -> dominated l (poisson q M d') (poisson q M d) m A (mix q B A).
Proof.
  intros Q P PA PB H d d' (a & x & b & -> & ->). revert M P H. induction a as [ | y a IH]; intros M P H; simpl.
  - intros eps. eapply Rle_trans; [ | apply (poisson_dominated l q b m A (mix q B A) Q M (fun s => mix q (M (x :: s))
      (M s)))].
    right. unfold hockey. apply sum_ext. intros o _. now rewrite poisson_mix.
    intros s. apply added_sample_dominated; auto. apply H. now exists [], x, s.
  - apply mix_dominated; auto. apply IH. intros s; apply P. intros e e' N. apply H. now apply cons_remove.
Qed.
(** The largest loss of an answer on a sample, in the other direction: p against (1 - q) p + q r. *)
Theorem sampled_ratio_reversed {O} (l : list O) q eps (p r : O -> R) : 0 <= q <= 1 -> (forall o, 0 <= p o) ->
  (forall o, In o l -> p o <= exp eps * r o) ->
  forall o, In o l -> p o <= exp (- ln (1 + q * (exp (- eps) - 1))) * mix q r p o.
Proof.
  intros Q P H o I. pose proof (exp_pos (- eps)) as J. set (w := 1 + q * (exp (- eps) - 1)).
  assert (W : 0 < w) by (unfold w; destruct (Req_dec q 0) as [-> | N]; nra).
  rewrite exp_Ropp, exp_ln by auto. apply (Rmult_le_reg_l w); auto. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  specialize (H o I). apply (Rmult_le_compat_l (exp (- eps))) in H; [ | lra].
  rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0, Rmult_1_l in H. unfold w, mix. specialize (P o). nra.
Qed.
