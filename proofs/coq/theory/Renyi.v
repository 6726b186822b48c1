(** * Renyi divergence and zCDP: post-processing, adaptive composition, filters

    Masses may be zero: "at most" includes that the support of the one side lies in that of the other (Finite.v).

    Proved here: the divergence as a number; randomised post-processing; adaptive composition of two and of any number of
    mechanisms, whose budgets may be split on the way (filters). *)
From Dpref Require Import Finite Interaction Approximate Convexity.

(** ** Moments *)

Lemma moment_nonneg {O} (l : list O) a p q : (forall o, 0 <= p o) -> 0 <= moment l a p q.
Proof. intros P. apply sum_nonneg. intros o _. apply Rmult_le_pos; auto. left; apply exp_pos. Qed.
(** The divergence is the logarithm of the moment over a - 1. *)
Theorem renyi_is_divergence {O} (l : list O) a r p q : 1 < a -> distribution l p -> supported l p q ->
  (renyi l a r p q <-> renyi_divergence l a p q <= r).
Proof.
  intros A [P S] H. assert (M : 0 < moment l a p q).
  { destruct (moment_nonneg l a p q P) as [M | M]; auto. exfalso.
    enough (sum_over l p = 0) by lra. transitivity (sum_over l (fun _ => 0)). 2: apply sum_zero.
    apply sum_ext. intros o I. symmetry in M. pose proof (sum_is_zero l _ o (fun b _ =>
      Rmult_le_pos _ _ (P b) (Rlt_le _ _ (exp_pos _))) M I) as Z. simpl in Z. apply Rmult_integral in Z.
    destruct Z as [Z | Z]; auto. pose proof (exp_pos ((a - 1) * ln (p o / q o))). unfold Rpower in Z. lra. }
  unfold renyi, renyi_divergence. split.
  - intros [_ B]. apply (Rmult_le_reg_l (a - 1)). lra.
    replace ((a - 1) * (ln (moment l a p q) / (a - 1))) with (ln (moment l a p q)) by (field; lra).
    rewrite <- (ln_exp ((a - 1) * r)). destruct B as [B | ->]; [left; now apply ln_increasing | lra].
  - intros B. split; auto. rewrite <- (exp_ln (moment l a p q)) by auto. apply exp_mono.
    replace (ln (moment l a p q)) with ((a - 1) * (ln (moment l a p q) / (a - 1))) by (field; lra).
    apply Rmult_le_compat_l; lra.
Qed.
Lemma renyi_weaken {O} (l : list O) a r s p q : 1 <= a -> r <= s -> renyi l a r p q -> renyi l a s p q.
Proof. intros A H [S M]. split; auto. eapply Rle_trans. apply M. apply exp_mono. nra. Qed.
Lemma renyi_self {O} (l : list O) a p : distribution l p -> renyi l a 0 p p.
Proof.
  intros [P S]. split. intros o _; auto. rewrite Rmult_0_r, exp_0, <- S. apply sum_le. intros o _. destruct (P o) as [N | <-].
  - unfold Rdiv. rewrite Rinv_r by lra. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. lra.
  - lra.
Qed.

(** ** Post-processing *)

(** x^a y^(1 - a) above its tangent plane at the ratio r; the reason why merging outcomes lowers a moment. *)
Lemma moment_tangent a r x y : 1 <= a -> 0 < r -> 0 <= x -> 0 <= y -> (0 < x -> 0 < y) ->
  Rpower r (a - 1) * (a * x - (a - 1) * (r * y)) <= x * Rpower (x / y) (a - 1).
Proof.
  intros A R0 [X | <-] Y H.
  - specialize (H X). set (z := x / y / r). assert (Z : 0 < z) by (unfold z; repeat apply Rdiv_lt_0_compat; auto).
    pose proof (bernoulli a z A Z) as B. replace (x / y) with (r * z) by (unfold z; field; lra).
    rewrite <- Rpower_mult_distr by auto. replace a with (1 + (a - 1)) in B at 2 by ring.
    rewrite Rpower_plus, Rpower_1 in B by auto. replace x with (r * y * z) by (unfold z; field; lra).
    pose proof (Rpower_pos r (a - 1)). assert (0 < r * y) by nra.
    apply Rle_trans with (Rpower r (a - 1) * (r * y) * (1 + a * (z - 1))). right; ring.
    apply Rle_trans with (Rpower r (a - 1) * (r * y) * (z * Rpower z (a - 1))); [ | right; ring].
    apply Rmult_le_compat_l; nra.
  - pose proof (Rpower_pos r (a - 1)). rewrite Rmult_0_l. assert (0 <= (a - 1) * (r * y)) by (repeat apply Rmult_le_pos; lra). nra.
Qed.
Theorem renyi_post {O O'} (l : list O) (l' : list O') a r p q (K : O -> O' -> R) : 1 <= a ->
  (forall o, distribution l' (K o)) -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
  renyi l a r p q -> renyi l' a r (post l K p) (post l K q).
Proof.
  intros A HK P Q [S M].
  assert (PK : forall o' o, 0 <= p o * K o o') by (intros; apply Rmult_le_pos; [auto | apply HK]).
  assert (QK : forall o' o, 0 <= q o * K o o') by (intros; apply Rmult_le_pos; [auto | apply HK]).
  assert (S' : supported l' (post l K p) (post l K q)).
  { intros o' _ H. destruct (Rle_lt_dec (post l K q o') 0) as [Z | Z]; auto. exfalso.
    assert (Z0 : post l K q o' = 0) by (apply Rle_antisym; auto; apply sum_nonneg; auto).
    enough (post l K p o' <= 0) by lra. unfold post. rewrite <- (sum_zero l). apply sum_le. intros o I.
    pose proof (sum_is_zero l _ o (fun b _ => QK o' b) Z0 I) as E. simpl in E. apply Rmult_integral in E.
    destruct (P o) as [Po | <-]; [ | lra]. destruct E as [E | ->]; [ | lra]. pose proof (S o I Po). lra. }
  split; auto. eapply Rle_trans. 2: apply M. unfold moment.
  apply Rle_trans with (sum_over l' (fun o' => sum_over l (fun o => K o o' * (p o * Rpower (p o / q o) (a - 1))))).
  - apply sum_le. intros o' I'. destruct (sum_nonneg l (fun o => p o * K o o') (fun o _ => PK o' o)) as [X | X].
    + change (sum_over l (fun o => p o * K o o')) with (post l K p o') in X. pose proof (S' o' I' X) as Y.
      set (t := post l K p o' / post l K q o'). assert (T : 0 < t) by (apply Rdiv_lt_0_compat; auto).
      apply Rle_trans with (Rpower t (a - 1) * (a * post l K p o' - (a - 1) * (t * post l K q o'))).
      { right. replace (t * post l K q o') with (post l K p o') by (unfold t; field; lra). ring. }
      unfold post. rewrite <- !sum_scal, <- sum_minus, <- sum_scal. apply sum_le. intros o I.
      apply Rle_trans with (K o o' * (Rpower t (a - 1) * (a * p o - (a - 1) * (t * q o)))). right; ring.
      apply Rmult_le_compat_l. apply HK. apply moment_tangent; auto.
    + unfold post at 1. rewrite <- X, Rmult_0_l. apply sum_nonneg. intros o _.
      repeat apply Rmult_le_pos; auto. apply HK. left; apply exp_pos.
  - rewrite sum_swap. apply sum_le. intros o _. rewrite sum_scal_r. destruct (HK o) as [_ ->]. lra.
Qed.
Theorem rdp_post_processing {D O O'} neighbours (l : list O) (l' : list O') a r (M : D -> O -> R) (K : O -> O' -> R) :
  1 <= a -> (forall o, distribution l' (K o)) -> mechanism l M -> RDP neighbours l a r M ->
  RDP neighbours l' a r (fun d => post l K (M d)).
Proof. intros A HK PM H d d' N. apply renyi_post; auto; apply PM. Qed.
Theorem zcdp_post_processing {D O O'} neighbours (l : list O) (l' : list O') rho (M : D -> O -> R) (K : O -> O' -> R) :
  (forall o, distribution l' (K o)) -> mechanism l M -> zCDP neighbours l rho M ->
  zCDP neighbours l' rho (fun d => post l K (M d)).
Proof. intros HK PM H a A. apply rdp_post_processing; auto. lra. Qed.

(** ** Adaptive composition *)

Theorem renyi_joined {A B C} (c : A -> B -> C) l1 l2 a r1 r2 p1 q1 p2 q2 p q : product c p1 p2 p -> product c q1 q2 q ->
  (forall x, 0 <= p1 x) -> (forall x, 0 <= q1 x) -> (forall x y, 0 <= p2 x y) -> (forall x y, 0 <= q2 x y) ->
  renyi l1 a r1 p1 q1 -> (forall x, In x l1 -> renyi (l2 x) a r2 (p2 x) (q2 x)) ->
  renyi (joined c l1 l2) a (r1 + r2) p q.
Proof.
  intros Pp Pq N1 N1' N2 N2' [S1 M1] H2. split.
  - intros o I H. apply in_joined in I. destruct I as (x & y & I & J & ->). rewrite Pp in H. rewrite Pq.
    destruct (N1 x) as [X | X]. 2: rewrite <- X in H; lra. destruct (N2 x y) as [Y | Y]. 2: rewrite <- Y in H; lra.
    apply Rmult_lt_0_compat. now apply S1. now apply (H2 x I).
  - unfold moment. rewrite sum_joined.
    apply Rle_trans with (sum_over l1 (fun x => exp ((a - 1) * r2) * (p1 x * Rpower (p1 x / q1 x) (a - 1)))).
    + apply sum_le. intros x I. destruct (N1 x) as [X | X].
      * pose proof (S1 x I X) as X'. destruct (H2 x I) as [S2 M2].
        rewrite (sum_ext (l2 x) _ (fun y => (p1 x * Rpower (p1 x / q1 x) (a - 1)) * (p2 x y * Rpower (p2 x y / q2 x y) (a - 1)))).
        { rewrite sum_scal, Rmult_comm. apply Rmult_le_compat_r; [ | apply M2]. left. apply Rmult_lt_0_compat; auto. apply exp_pos. }
        intros y J. rewrite Pp, Pq. destruct (N2 x y) as [Y | <-]; [ | lra]. pose proof (S2 y J Y) as Y'.
        replace (p1 x * p2 x y / (q1 x * q2 x y)) with ((p1 x / q1 x) * (p2 x y / q2 x y)) by (field; lra).
        rewrite <- Rpower_mult_distr by (apply Rdiv_lt_0_compat; auto). ring.
      * rewrite <- X, Rmult_0_l, Rmult_0_r. right. transitivity (sum_over (l2 x) (fun _ => 0)). 2: apply sum_zero.
        apply sum_ext. intros y _. rewrite Pp, <- X. ring.
    + rewrite sum_scal. fold (moment l1 a p1 q1). rewrite Rmult_plus_distr_l, Rplus_comm, exp_plus.
      apply Rmult_le_compat_l; auto. left; apply exp_pos.
Qed.
Theorem rdp_composition {D O1 O2} neighbours (l1 : list O1) (l2 : list O2) a r1 r2 (M1 : D -> O1 -> R)
    (M2 : D -> O1 -> O2 -> R) : mechanism l1 M1 -> (forall o, mechanism l2 (fun d => M2 d o)) ->
  RDP neighbours l1 a r1 M1 -> (forall o, RDP neighbours l2 a r2 (fun d => M2 d o)) ->
  RDP neighbours (list_prod l1 l2) a (r1 + r2) (adaptive M1 M2).
Proof.
  intros P1 P2 H1 H2 d d' N. rewrite list_prod_joined.
  apply (renyi_joined pair l1 (fun _ => l2) a r1 r2 (M1 d) (M1 d') (M2 d) (M2 d')); auto using adaptive_product.
  apply P1. apply P1. intros x; apply (P2 x). intros x; apply (P2 x). intros x _; now apply (H2 x).
Qed.
Theorem zcdp_composition {D O1 O2} neighbours (l1 : list O1) (l2 : list O2) rho1 rho2 (M1 : D -> O1 -> R)
    (M2 : D -> O1 -> O2 -> R) : mechanism l1 M1 -> (forall o, mechanism l2 (fun d => M2 d o)) ->
  zCDP neighbours l1 rho1 M1 -> (forall o, zCDP neighbours l2 rho2 (fun d => M2 d o)) ->
  zCDP neighbours (list_prod l1 l2) (rho1 + rho2) (adaptive M1 M2).
Proof.
  intros P1 P2 H1 H2 a A. rewrite Rmult_plus_distr_r. apply rdp_composition; auto. intros o. now apply H2.
Qed.

(** Along every transcript the divergences of the questions add up to at most r. *)
Fixpoint spends_renyi {D O} (l : list O) a r (it : interaction D O) d d' : Prop :=
  match it with
  | stop => 0 <= r
  | ask M next => exists s, renyi l a s (M d) (M d') /\ forall o, spends_renyi l a (r - s) (next o) d d'
  end.
Theorem interaction_renyi {D O} (l : list O) a (it : interaction D O) d d' : 1 <= a -> asks_mechanisms l it ->
  forall r, spends_renyi l a r it d d' -> renyi (transcripts l it) a r (mass it d) (mass it d').
Proof.
  intros A. induction it as [ | M next IH]; intros P r B.
  - apply renyi_weaken with 0; auto. split. intros o _; destruct o; simpl; auto. unfold moment. simpl.
    unfold Rdiv. rewrite Rinv_1, Rmult_1_r. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
  - destruct P as [PM P]. destruct B as (s & H & B). simpl transcripts. replace r with (s + (r - s)) by ring.
    apply (renyi_joined cons l (fun o => transcripts l (next o)) a s (r - s) (M d) (M d') (fun o => mass (next o) d)
             (fun o => mass (next o) d')); auto using mass_product; try apply PM.
    intros o; now apply (mass_nonneg l). intros o; now apply (mass_nonneg l).
Qed.
(** A filter: what is asked may depend on all answers, and along every transcript the rhos add up to at most rho. *)
Fixpoint spends_zcdp {D O} (neighbours : D -> D -> Prop) (l : list O) rho (it : interaction D O) : Prop :=
  match it with
  | stop => 0 <= rho
  | ask M next => exists r, zCDP neighbours l r M /\ forall o, spends_zcdp neighbours l (rho - r) (next o)
  end.
Theorem zcdp_filter {D O} (neighbours : D -> D -> Prop) (l : list O) (it : interaction D O) rho :
  asks_mechanisms l it -> spends_zcdp neighbours l rho it -> zCDP neighbours (transcripts l it) rho (mass it).
Proof.
  intros P B a A d d' N. apply interaction_renyi; auto. lra. clear P. revert rho B.
  induction it as [ | M next IH]; intros rho B; simpl in *. nra. destruct B as (r & H & B). exists (r * a). split.
  apply H; auto. intros o. rewrite <- Rmult_minus_distr_r. auto.
Qed.
(** k-fold adaptive composition. *)
Theorem zcdp_k_fold {D O} (neighbours : D -> D -> Prop) (l : list O) rho k (it : interaction D O) : 0 <= rho ->
  asks_mechanisms l it -> at_most k it -> every (zCDP neighbours l rho) it ->
  zCDP neighbours (transcripts l it) (INR k * rho) (mass it).
Proof.
  intros R0 P K V. apply zcdp_filter; auto. clear P. revert k K.
  induction it as [ | M next IH]; intros k K; simpl.
  - pose proof (pos_INR k). nra.
  - destruct k as [ | k]. easy. destruct V as [H V]. exists rho. split; auto. intros o. rewrite S_INR.
    replace ((INR k + 1) * rho - rho) with (INR k * rho) by ring. apply IH. apply V. apply K.
Qed.
