(* Differential privacy of mechanisms whose output is a real number with a density.  A density is non-negative,
   Riemann integrable, and has integral one.  An event is a set of outputs, given by its indicator; its probability
   is the integral of the density over it, where that exists.  (epsilon, delta) bounds every event that has a
   probability under both densities.  From these definitions: events refute, the hockey-stick divergence decides,
   Renyi divergence and zCDP imply (epsilon, delta). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper.
Open Scope R_scope.

(* ---------- definitions ---------- *)
Definition density (p : R -> R) : Prop := (forall x, 0 <= p x) /\ integrable_on_intervals p /\ integral p 1.
Definition restricted (S : R -> bool) (f : R -> R) (x : R) : R := if S x then f x else 0.
(* the event S has probability P under the density p *)
Definition probability (p : R -> R) (S : R -> bool) (P : R) : Prop := integral (restricted S p) P.
Definition line_close (eps del : R) (p q : R -> R) : Prop :=
  forall S P Q, probability p S P -> probability q S Q -> P <= exp eps * Q + del.
(* a mechanism M maps a data set to a density *)
Definition line_DP {D} (adj : D -> D -> Prop) (eps del : R) (M : D -> R -> R) : Prop :=
  forall d d', adj d d' -> line_close eps del (M d) (M d').
(* the hockey-stick divergence of order e^eps exists and is h *)
Definition line_hockey (eps : R) (p q : R -> R) (h : R) : Prop :=
  integral (fun x => Rmax 0 (p x - exp eps * q x)) h.
(* the Renyi divergence of order a exists and is r: (1 / (a - 1)) ln E_q (p / q)^a, for positive densities *)
Definition line_moment (a : R) (p q : R -> R) (m : R) : Prop :=
  integral (fun x => p x * Rpower (p x / q x) (a - 1)) m.
Definition line_renyi (a : R) (p q : R -> R) (r : R) : Prop := line_moment a p q (exp ((a - 1) * r)).
Definition line_zCDP {D} (adj : D -> D -> Prop) (rho : R) (M : D -> R -> R) : Prop :=
  forall d d' a, adj d d' -> 1 < a -> exists r, line_renyi a (M d) (M d') r /\ r <= a * rho.

(* events *)
Definition beyond (t x : R) : bool := if Rlt_dec t x then true else false.
Definition before (t x : R) : bool := if Rlt_dec x t then true else false.
Definition between (a b x : R) : bool := if Rlt_dec a x then if Rlt_dec x b then true else false else false.
Definition everything (_ : R) : bool := true.
(* where the privacy loss is above eps *)
Definition loss_above (eps : R) (p q : R -> R) (x : R) : bool := if Rlt_dec (exp eps * q x) (p x) then true else false.

(* ---------- probabilities ---------- *)
Lemma probability_unique p S P P' : probability p S P -> probability p S P' -> P = P'.
Proof. apply integral_unique. Qed.
Lemma probability_everything p : density p -> probability p everything 1.
Proof. intros (_ & _ & H). exact H. Qed.
Lemma probability_nonnegative p S P : density p -> probability p S P -> 0 <= P.
Proof.
  intros (N & _) H. apply (integral_pos (restricted S p)); auto. intros x. unfold restricted.
  destruct (S x). apply N. lra.
Qed.
Lemma probability_complement p S P : density p -> probability p S P -> probability p (fun x => negb (S x)) (1 - P).
Proof.
  intros (_ & _ & H) K. apply (integral_ext (fun x => p x - restricted S p x)). 2: now apply integral_minus.
  intros x. unfold restricted. destruct (S x); simpl; lra.
Qed.
Lemma probability_at_most_one p S P : density p -> probability p S P -> P <= 1.
Proof.
  intros D H. pose proof (probability_nonnegative p _ _ D (probability_complement p S P D H)). lra.
Qed.
Lemma probability_beyond p t P : integral_above t p P -> probability p (beyond t) P.
Proof.
  apply integral_of_above; intros x h; unfold restricted, beyond; destruct (Rlt_dec t x); lra.
Qed.
Lemma probability_before p t P : integral_below t p P -> probability p (before t) P.
Proof.
  apply integral_of_below; intros x h; unfold restricted, before; destruct (Rlt_dec x t); lra.
Qed.
(* every event whose indicator times the density is Riemann integrable on intervals has a probability *)
Lemma probability_exists p S : density p -> integrable_on_intervals (restricted S p) -> exists P, probability p S P.
Proof.
  intros (N & I & H) J. apply (integral_dominated (restricted S p) p 1); auto. intros x. specialize (N x).
  unfold restricted. destruct (S x); lra.
Qed.

(* ---------- refutations: one event is enough ---------- *)
Theorem event_refutes eps del p q S P Q :
  probability p S P -> probability q S Q -> exp eps * Q + del < P -> ~ line_close eps del p q.
Proof. intros HP HQ L H. specialize (H S P Q HP HQ). lra. Qed.
Theorem event_refutes_DP {D} (adj : D -> D -> Prop) eps del (M : D -> R -> R) d d' S P Q : adj d d' ->
  probability (M d) S P -> probability (M d') S Q -> exp eps * Q + del < P -> ~ line_DP adj eps del M.
Proof. intros A HP HQ L H. exact (event_refutes eps del _ _ S P Q HP HQ L (H d d' A)). Qed.
Corollary half_line_refutes eps del p q t P Q :
  integral_above t p P -> integral_above t q Q -> exp eps * Q + del < P -> ~ line_close eps del p q.
Proof. intros HP HQ. apply (event_refutes eps del p q (beyond t)); now apply probability_beyond. Qed.

(* ---------- what the divergences imply ---------- *)
Lemma probability_gap eps p q S P Q : probability p S P -> probability q S Q ->
  integral (restricted S (fun x => p x - exp eps * q x)) (P - exp eps * Q).
Proof.
  intros HP HQ. apply (integral_ext (fun x => restricted S p x - exp eps * restricted S q x)).
  intros x. unfold restricted. destruct (S x); lra. apply integral_minus; auto. now apply integral_scal.
Qed.
(* a pointwise bound of the gain of every test by a function with integral h *)
Lemma close_of_bound eps del p q g h : (forall x, 0 <= g x) -> (forall x, p x - exp eps * q x <= g x) ->
  integral g h -> h <= del -> line_close eps del p q.
Proof.
  intros N B H L S P Q HP HQ.
  enough (P - exp eps * Q <= h) by lra.
  apply (integral_le _ g _ _) with (2 := probability_gap eps p q S P Q HP HQ); auto.
  intros x. unfold restricted. destruct (S x); auto.
Qed.
Theorem hockey_bounds_delta eps del p q h : line_hockey eps p q h -> h <= del -> line_close eps del p q.
Proof.
  intros H. apply (close_of_bound eps del p q (fun x => Rmax 0 (p x - exp eps * q x))); auto.
  intros x. apply Rmax_l. intros x. apply Rmax_r.
Qed.
(* attained: the divergence is the gain of the event where the loss is above eps *)
Theorem hockey_attained eps p q P Q : probability p (loss_above eps p q) P -> probability q (loss_above eps p q) Q ->
  line_hockey eps p q (P - exp eps * Q).
Proof.
  intros HP HQ. apply (integral_ext (restricted (loss_above eps p q) (fun x => p x - exp eps * q x))).
  2: now apply probability_gap. intros x. unfold restricted, loss_above.
  destruct (Rlt_dec _ _). rewrite Rmax_right; lra. rewrite Rmax_left; lra.
Qed.
(* hence it is the least delta *)
Theorem hockey_decides eps del p q P Q :
  probability p (loss_above eps p q) P -> probability q (loss_above eps p q) Q ->
  line_close eps del p q <-> P - exp eps * Q <= del.
Proof.
  intros HP HQ. split. intros H. specialize (H _ _ _ HP HQ). lra.
  intros H. exact (hockey_bounds_delta eps del p q _ (hockey_attained eps p q P Q HP HQ) H).
Qed.
(* pure privacy from the ratio of the densities *)
Theorem ratio_bounds_epsilon eps p q : (forall x, p x <= exp eps * q x) -> line_close eps 0 p q.
Proof.
  intros B. apply (close_of_bound eps 0 p q (fun _ => 0) 0). intros; lra.
  intros x. specialize (B x). lra. exact (@gen_zero _ _ _ _). lra.
Qed.
Lemma close_weaken eps del eps' del' p q : density q -> eps <= eps' -> del <= del' ->
  line_close eps del p q -> line_close eps' del' p q.
Proof.
  intros D E L H S P Q HP HQ. specialize (H S P Q HP HQ). pose proof (probability_nonnegative q S Q D HQ).
  assert (exp eps <= exp eps'). { destruct E as [h | ->]. left; now apply exp_increasing. lra. } nra.
Qed.
(* post-processing: the preimage of an event is an event *)
Lemma close_preimage eps del p q (g : R -> R) S P Q : line_close eps del p q ->
  probability p (fun x => S (g x)) P -> probability q (fun x => S (g x)) Q -> P <= exp eps * Q + del.
Proof. intros H. apply H. Qed.

(* where the loss is above eps, the ratio to the power a - 1 is above e^((a - 1) eps) *)
Lemma gain_below_moment a eps p q : 1 < a -> 0 < p -> 0 < q ->
  p - exp eps * q <= exp (- ((a - 1) * eps)) * (p * Rpower (p / q) (a - 1)).
Proof.
  intros A Pp Pq.
  assert (G : 0 < exp (- ((a - 1) * eps)) * (p * Rpower (p / q) (a - 1))).
  { repeat apply Rmult_lt_0_compat; auto; apply exp_pos. }
  destruct (Rle_dec p (exp eps * q)) as [h | h]. lra.
  apply Rle_trans with (p * 1). pose proof (Rmult_lt_0_compat _ _ (exp_pos eps) Pq). lra.
  rewrite (Rmult_comm (exp _)), Rmult_assoc. apply Rmult_le_compat_l. lra.
  unfold Rpower. rewrite <- exp_plus. apply Rle_trans with (exp 0). rewrite exp_0; lra.
  assert (E : eps < ln (p / q)).
  { rewrite <- (ln_exp eps). apply ln_increasing. apply exp_pos. apply (Rmult_lt_reg_r q); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  left. apply exp_increasing. pose proof (Rmult_lt_compat_l (a - 1) _ _ ltac:(lra) E). lra.
Qed.
Theorem renyi_bounds_delta a r eps p q : 1 < a -> (forall x, 0 < p x) -> (forall x, 0 < q x) ->
  line_renyi a p q r -> line_close eps (exp ((a - 1) * (r - eps))) p q.
Proof.
  intros A Pp Pq H.
  pose (g := fun x => exp (- ((a - 1) * eps)) * (p x * Rpower (p x / q x) (a - 1))).
  apply (close_of_bound eps _ p q g (exp (- ((a - 1) * eps)) * exp ((a - 1) * r))).
  - intros x. left. repeat apply Rmult_lt_0_compat; auto; apply exp_pos.
  - intros x. now apply gain_below_moment.
  - now apply integral_scal.
  - rewrite <- exp_plus. right. f_equal. ring.
Qed.
(* the order a = (eps + rho) / (2 rho) is the best for divergences up to a rho *)
Lemma best_order rho eps r (a := (eps + rho) / (2 * rho)) : 0 < rho -> rho < eps -> r <= a * rho ->
  exp ((a - 1) * (r - eps)) <= exp (- ((eps - rho) ^ 2 / (4 * rho))).
Proof.
  intros R0 E L. assert (A1 : a - 1 = (eps - rho) / (2 * rho)) by (unfold a; field; lra).
  assert (A2 : 0 < a - 1). { rewrite A1. apply Rdiv_lt_0_compat; lra. }
  assert (B : (a - 1) * (r - eps) <= - ((eps - rho) ^ 2 / (4 * rho))).
  { apply Rle_trans with ((a - 1) * (a * rho - eps)). apply Rmult_le_compat_l; lra.
    right. rewrite A1. unfold a. field. lra. }
  destruct B as [B | ->]. left. now apply exp_increasing. lra.
Qed.
Lemma best_order_above_one rho eps : 0 < rho -> rho < eps -> 1 < (eps + rho) / (2 * rho).
Proof.
  intros R0 E. enough (0 < (eps + rho) / (2 * rho) - 1) by lra.
  replace ((eps + rho) / (2 * rho) - 1) with ((eps - rho) / (2 * rho)) by (field; lra). apply Rdiv_lt_0_compat; lra.
Qed.
Theorem zcdp_bounds_delta {D} (adj : D -> D -> Prop) rho eps (M : D -> R -> R) : 0 < rho -> rho < eps ->
  (forall d x, 0 < M d x) -> line_zCDP adj rho M -> line_DP adj eps (exp (- ((eps - rho) ^ 2 / (4 * rho)))) M.
Proof.
  intros R0 E Pp Z d d' A. pose proof (best_order_above_one rho eps R0 E) as A1.
  destruct (Z d d' _ A A1) as (r & H & L).
  pose proof (renyi_bounds_delta _ r eps (M d) (M d') A1 (Pp d) (Pp d') H) as C.
  intros S P Q HP HQ. apply Rle_trans with (1 := C S P Q HP HQ). apply Rplus_le_compat_l. now apply best_order.
Qed.
