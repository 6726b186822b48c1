(** * Approximate differential privacy: post-processing, adaptive composition, groups, parts

    From the definition over events (Finite.v): post-processing by a randomised map; adaptive composition of two and of
    any number of mechanisms, with budgets that may be split on the way; groups of k records; mechanisms on disjoint
    parts; answers that everybody computes from a private billboard and from data of their own. *)
From Dpref Require Import Finite Interaction.

(** ** Post-processing *)

Definition post {O O'} (l : list O) (K : O -> O' -> R) (p : O -> R) (o' : O') := sum_over l (fun o => p o * K o o').
Lemma prob_post {O O'} (l : list O) (l' : list O') (K : O -> O' -> R) p E :
  prob l' (post l K p) E = sum_over l (fun o => p o * prob l' (K o) E).
Proof.
  unfold prob, post. rewrite (sum_ext l' _ (fun o' => sum_over l (fun o => p o * (if E o' then K o o' else 0)))).
  rewrite <- sum_swap. apply sum_ext. intros. apply sum_scal.
  intros o' _. destruct (E o'). reflexivity. rewrite (sum_ext l _ (fun _ => 0)). now rewrite sum_zero. intros; lra.
Qed.
Lemma post_distribution {O O'} (l : list O) (l' : list O') (K : O -> O' -> R) p :
  (forall o, distribution l' (K o)) -> distribution l p -> distribution l' (post l K p).
Proof.
  intros HK [N S]. split. intros o. apply sum_nonneg. intros. apply Rmult_le_pos. apply N. apply HK.
  unfold post. rewrite sum_swap. rewrite <- S. apply sum_ext. intros o _. rewrite sum_scal.
  destruct (HK o) as [_ ->]. lra.
Qed.
Lemma close_post {O O'} (l : list O) (l' : list O') eps del p q (K : O -> O' -> R) :
  (forall o, distribution l' (K o)) -> close l eps del p q -> close l' eps del (post l K p) (post l K q).
Proof. intros HK H E. rewrite !prob_post. apply close_tests; auto. intros o. apply prob_bounds, HK. Qed.
Theorem post_processing {D O O'} neighbours (l : list O) (l' : list O') eps del (M : D -> O -> R) (K : O -> O' -> R) :
  (forall o, distribution l' (K o)) -> DP neighbours l eps del M ->
  DP neighbours l' eps del (fun d => post l K (M d)).
Proof. intros HK H d d' A. now apply close_post, H. Qed.

(** ** Adaptive composition *)

Section Compose.
  Context {A B C : Type} (c : A -> B -> C) (l1 : list A) (l2 : A -> list B).
  Lemma prob_joined p1 p2 p E : product c p1 p2 p ->
    prob (joined c l1 l2) p E = sum_over l1 (fun a => p1 a * prob (l2 a) (p2 a) (fun b => E (c a b))).
  Proof.
    intros P. unfold prob. rewrite sum_joined. apply sum_ext. intros a _. rewrite <- sum_scal.
    apply sum_ext. intros b _. rewrite P. destruct (E (c a b)); lra.
  Qed.
  Lemma close_joined e1 d1 e2 d2 p1 q1 p2 q2 p q : product c p1 p2 p -> product c q1 q2 q ->
    distribution l1 p1 -> distribution l1 q1 -> 0 <= d2 ->
    (forall a, distribution (l2 a) (p2 a)) -> (forall a, distribution (l2 a) (q2 a)) ->
    close l1 e1 d1 p1 q1 -> (forall a, In a l1 -> close (l2 a) e2 d2 (p2 a) (q2 a)) ->
    close (joined c l1 l2) (e1 + e2) (d1 + d2) p q.
  Proof.
    intros Pp Pq [N1 S1] [M1 _] D2 S2 T2 H1 H2 E. rewrite (prob_joined p1 p2 p), (prob_joined q1 q2 q) by assumption.
    pose (P a := prob (l2 a) (p2 a) (fun b => E (c a b))). pose (Q a := prob (l2 a) (q2 a) (fun b => E (c a b))).
    change (sum_over l1 (fun a => p1 a * P a) <= exp (e1 + e2) * sum_over l1 (fun a => q1 a * Q a) + (d1 + d2)).
    assert (BP : forall a, 0 <= P a <= 1) by (intros; apply prob_bounds, S2).
    assert (BQ : forall a, 0 <= Q a <= 1) by (intros; apply prob_bounds, T2).
    pose (g a := Rmin 1 (exp e2 * Q a)).
    assert (G : forall a, 0 <= g a <= 1).
    { intros a. unfold g. pose proof (BQ a). pose proof (exp_pos e2). split. apply Rmin_glb; nra. apply Rmin_l. }
    apply Rle_trans with (sum_over l1 (fun a => p1 a * g a) + d2).
    - replace d2 with (d2 * sum_over l1 p1) by (rewrite S1; lra). rewrite <- sum_scal, <- sum_plus.
      apply sum_le. intros a I. assert (H3 : P a <= exp e2 * Q a + d2) by exact (H2 a I (fun b => E (c a b))).
      pose proof (N1 a). destruct (BP a). enough (P a <= g a + d2) by nra.
      unfold g, Rmin. destruct (Rle_dec _ _); lra.
    - pose proof (close_tests l1 e1 d1 _ _ g H1 G).
      enough (sum_over l1 (fun a => q1 a * g a) <= exp e2 * sum_over l1 (fun a => q1 a * Q a)).
      { rewrite exp_plus. pose proof (exp_pos e1). nra. }
      rewrite <- sum_scal. apply sum_le. intros a _. pose proof (M1 a). pose proof (Rmin_r 1 (exp e2 * Q a)) as L.
      fold (g a) in L. nra.
  Qed.
End Compose.

Theorem adaptive_composition {D O1 O2} neighbours (l1 : list O1) (l2 : list O2) e1 d1 e2 d2
    (M1 : D -> O1 -> R) (M2 : D -> O1 -> O2 -> R) :
  mechanism l1 M1 -> (forall o, mechanism l2 (fun d => M2 d o)) -> 0 <= d2 ->
  DP neighbours l1 e1 d1 M1 -> (forall o, DP neighbours l2 e2 d2 (fun d => M2 d o)) ->
  DP neighbours (list_prod l1 l2) (e1 + e2) (d1 + d2) (adaptive M1 M2).
Proof.
  intros S1 S2 D2 H1 H2 d d' A. rewrite list_prod_joined.
  apply (close_joined pair l1 (fun _ => l2) e1 d1 e2 d2 (M1 d) (M1 d') (M2 d) (M2 d')); auto using adaptive_product.
  intros a; apply (S2 a). intros a; apply (S2 a). intros a _. now apply (H2 a d d').
Qed.

(** Along every transcript the epsilons and deltas of the questions add up to at most eps and del; what is asked, and
    what it may spend, depends on the answers so far. *)
Fixpoint spends_dp {D O} neighbours (l : list O) (eps del : R) (it : interaction D O) : Prop :=
  match it with
  | stop => 0 <= eps /\ 0 <= del
  | ask M next => exists e d, 0 <= del - d /\ DP neighbours l e d M
                  /\ forall o, spends_dp neighbours l (eps - e) (del - d) (next o)
  end.
Theorem interaction_dp {D O} neighbours (l : list O) (it : interaction D O) : asks_mechanisms l it ->
  forall eps del, spends_dp neighbours l eps del it -> DP neighbours (transcripts l it) eps del (mass it).
Proof.
  induction it as [ | M next IH]; intros P eps del B d d' A.
  - destruct B as [E0 D0]. apply close_weaken with 0 0; auto. intros [ | o t]; simpl; lra.
    intros E. rewrite exp_0. unfold prob. simpl. lra.
  - destruct P as [PM P]. destruct B as (e & x & X & H & B). simpl transcripts.
    replace eps with (e + (eps - e)) by ring. replace del with (x + (del - x)) by ring.
    apply (close_joined cons l (fun o => transcripts l (next o)) e x (eps - e) (del - x)
             (M d) (M d') (fun o => mass (next o) d) (fun o => mass (next o) d')); auto using mass_product.
    intros o. now apply transcripts_mechanism. intros o. now apply transcripts_mechanism.
    intros o _. now apply IH.
Qed.
(** k-fold adaptive composition. *)
Theorem basic_composition {D O} neighbours (l : list O) eps del k (it : interaction D O) : 0 <= eps -> 0 <= del ->
  asks_mechanisms l it -> at_most k it -> every (DP neighbours l eps del) it ->
  DP neighbours (transcripts l it) (INR k * eps) (INR k * del) (mass it).
Proof.
  intros E0 D0 P K V. apply interaction_dp; auto. clear P. revert k K.
  induction it as [ | M next IH]; intros k K; simpl.
  - pose proof (pos_INR k). split; nra.
  - destruct k as [ | k]. easy. destruct V as [H V]. exists eps, del. rewrite S_INR. pose proof (pos_INR k).
    split. nra. split; auto. intros o. replace ((INR k + 1) * eps - eps) with (INR k * eps) by ring.
    replace ((INR k + 1) * del - del) with (INR k * del) by ring. apply IH. apply V. apply K.
Qed.

(** ** Groups *)

(** d' can be reached from d by k steps to a neighbour. *)
Inductive steps {D} (neighbours : D -> D -> Prop) : nat -> D -> D -> Prop :=
  | no_step d : steps neighbours 0 d d
  | a_step k d e d' : neighbours d e -> steps neighbours k e d' -> steps neighbours (S k) d d'.
(** 1 + e^eps + ... + e^((k-1) eps) *)
Definition geometric (eps : R) (k : nat) : R := sum_over (seq 0 k) (fun i => exp (INR i * eps)).
Lemma geometric_S eps k : geometric eps (S k) = 1 + exp eps * geometric eps k.
Proof.
  unfold geometric. simpl seq. rewrite <- seq_shift. simpl sum_over. rewrite sum_map, Rmult_0_l, exp_0, <- sum_scal.
  f_equal. apply sum_ext. intros i _. rewrite S_INR, <- exp_plus. f_equal. ring.
Qed.
Theorem group_privacy {D O} neighbours (l : list O) eps del (M : D -> O -> R) k :
  DP neighbours l eps del M -> DP (steps neighbours k) l (INR k * eps) (geometric eps k * del) M.
Proof.
  intros H d d' S. induction S as [d | k d e d' A S IH]; intros E.
  - unfold geometric. simpl. rewrite Rmult_0_l, exp_0. lra.
  - rewrite S_INR, geometric_S. specialize (H d e A E). specialize (IH E).
    replace ((INR k + 1) * eps) with (eps + INR k * eps) by ring. rewrite exp_plus.
    pose proof (exp_pos eps). nra.
Qed.

(** ** Parts *)

(** One mechanism for each part of the data; a neighbour differs in one of two parts. *)
Definition in_one_part {D1 D2} (n1 : D1 -> D1 -> Prop) (n2 : D2 -> D2 -> Prop) (d d' : D1 * D2) :=
  (n1 (fst d) (fst d') /\ snd d = snd d') \/ (fst d = fst d' /\ n2 (snd d) (snd d')).
Theorem parallel_composition {D1 D2 O1 O2} n1 n2 (l1 : list O1) (l2 : list O2) e1 x1 e2 x2
    (M1 : D1 -> O1 -> R) (M2 : D2 -> O2 -> R) : 0 <= e1 -> 0 <= e2 -> 0 <= x1 -> 0 <= x2 ->
  mechanism l1 M1 -> mechanism l2 M2 -> DP n1 l1 e1 x1 M1 -> DP n2 l2 e2 x2 M2 ->
  DP (in_one_part n1 n2) (list_prod l1 l2) (Rmax e1 e2) (Rmax x1 x2)
     (adaptive (fun d => M1 (fst d)) (fun d _ => M2 (snd d))).
Proof.
  intros E1 E2 X1 X2 P1 P2 H1 H2 d d' N.
  assert (self : forall O (l : list O) p, close l 0 0 p p) by (intros ? ? ? E; rewrite exp_0; lra).
  assert (Q : forall o, 0 <= adaptive (fun d => M1 (fst d)) (fun d _ => M2 (snd d)) d' o).
  { intros o. apply Rmult_le_pos. apply P1. apply P2. }
  destruct N as [[A Eq] | [Eq A]]; rewrite list_prod_joined.
  - apply close_weaken with (e1 + 0) (x1 + 0); auto. rewrite Rplus_0_r. apply Rmax_l. rewrite Rplus_0_r. apply Rmax_l.
    apply (close_joined pair l1 (fun _ => l2) e1 x1 0 0 (M1 (fst d)) (M1 (fst d')) (fun _ => M2 (snd d)) (fun _ => M2 (snd d')));
      auto; try lra. intros a b. reflexivity. intros a b. reflexivity. intros a _. rewrite Eq. apply self.
  - apply close_weaken with (0 + e2) (0 + x2); auto. rewrite Rplus_0_l. apply Rmax_r. rewrite Rplus_0_l. apply Rmax_r.
    apply (close_joined pair l1 (fun _ => l2) 0 0 e2 x2 (M1 (fst d)) (M1 (fst d')) (fun _ => M2 (snd d)) (fun _ => M2 (snd d')));
      auto. intros a b. reflexivity. intros a b. reflexivity. rewrite Eq. apply self.
Qed.

(** ** A billboard *)

(** Everybody else's answers: a (randomised) function of the public estimates and of everybody else's own data, which
    neighbours that differ in one person's record share. *)
Theorem billboard {D W O O'} (neighbours : D -> D -> Prop) (l : list O) (l' : list O') eps del (others : D -> W)
    (M : D -> O -> R) (act : W -> O -> O' -> R) :
  (forall d d', neighbours d d' -> others d = others d') -> (forall w o, distribution l' (act w o)) ->
  DP neighbours l eps del M -> DP neighbours l' eps del (fun d => post l (act (others d)) (M d)).
Proof. intros S HA H d d' A. rewrite (S d d' A). apply close_post; auto. Qed.
