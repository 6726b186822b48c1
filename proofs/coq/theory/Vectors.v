(* Differential privacy of mechanisms whose output is a vector of n real numbers, as a list, with a joint density:
   integrals are iterated one coordinate after the other.  Events refute, Renyi divergence and zCDP imply (epsilon,
   delta), the divergences of independent coordinates add up, and those of adaptive composition are at most the sum. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density.
Import ListNotations.
Open Scope R_scope.

(* ---------- iterated integrals ---------- *)
(* the integral of f over R^n, the first coordinate outermost: it exists and is l *)
Fixpoint iterated (n : nat) (f : list R -> R) (l : R) : Prop :=
  match n with
  | O => f [] = l
  | S n => exists g, (forall x, iterated n (fun v => f (x :: v)) (g x)) /\ integral g l
  end.

Lemma iterated_ext n : forall f g l, (forall v, length v = n -> f v = g v) -> iterated n f l -> iterated n g l.
Proof.
  induction n as [ | n IH]; simpl; intros f g l E H. rewrite <- E; auto.
  destruct H as (h & I & H). exists h. split; auto. intros x. apply (IH (fun v => f (x :: v))); auto.
  intros v Lv. apply E. simpl. now f_equal.
Qed.
Lemma iterated_scal n k : forall f l, iterated n f l -> iterated n (fun v => k * f v) (k * l).
Proof.
  induction n as [ | n IH]; simpl; intros f l H. now rewrite H.
  destruct H as (h & I & H). exists (fun x => k * h x). split. intros x. apply (IH (fun v => f (x :: v))); auto.
  now apply integral_scal.
Qed.
Lemma iterated_plus n : forall f g l m, iterated n f l -> iterated n g m -> iterated n (fun v => f v + g v) (l + m).
Proof.
  induction n as [ | n IH]; simpl; intros f g l m H K. now rewrite H, K.
  destruct H as (h & I & H). destruct K as (k & J & K). exists (fun x => h x + k x). split.
  intros x. apply (IH (fun v => f (x :: v)) (fun v => g (x :: v))); auto. now apply integral_plus.
Qed.
Lemma iterated_minus n f g l m : iterated n f l -> iterated n g m -> iterated n (fun v => f v - g v) (l - m).
Proof.
  intros H K. pose proof (iterated_plus n _ _ _ _ H (iterated_scal n (-1) _ _ K)) as P.
  replace (l - m) with (l + -1 * m) by ring. revert P. apply iterated_ext. intros; ring.
Qed.
Lemma iterated_le n : forall f g l m, (forall v, length v = n -> f v <= g v) ->
  iterated n f l -> iterated n g m -> l <= m.
Proof.
  induction n as [ | n IH]; simpl; intros f g l m L H K. rewrite <- H, <- K. now apply L.
  destruct H as (h & I & H). destruct K as (k & J & K). apply (integral_le h k); auto. intros x.
  apply (IH (fun v => f (x :: v)) (fun v => g (x :: v))); auto. intros v Lv. apply L. simpl. now f_equal.
Qed.
Lemma iterated_unique n f l m : iterated n f l -> iterated n f m -> l = m.
Proof.
  intros H K. apply Rle_antisym; apply (iterated_le n f f); auto; intros; lra.
Qed.
(* a factor of the first coordinate comes out *)
Lemma iterated_product n f g l m :
  integral f l -> iterated n g m -> iterated (S n) (fun v => f (hd 0 v) * g (tl v)) (l * m).
Proof.
  intros H K. simpl. exists (fun x => m * f x). split.
  - intros x. rewrite Rmult_comm. now apply (iterated_scal n (f x) g).
  - rewrite Rmult_comm. now apply integral_scal.
Qed.
(* a shift leaves the integral as it is *)
Fixpoint shifted (w v : list R) : list R := match w, v with a :: w, b :: v => b + a :: shifted w v | _, _ => v end.
Theorem iterated_shift n : forall f w l, length w = n -> iterated n f l -> iterated n (fun v => f (shifted w v)) l.
Proof.
  induction n as [ | n IH]; intros f [ | a w] l L H; try discriminate. exact H.
  destruct H as (g & G & H). exists (fun x => g (x + a)). split.
  - intros x. injection L as L. exact (IH _ w _ L (G (x + a))).
  - pose proof (integral_affine g 1 a l ltac:(lra) H) as K. replace (l / 1) with l in K by field.
    revert K. apply integral_ext. intros x. f_equal. ring.
Qed.

(* ---------- definitions: densities, events, privacy, divergences ---------- *)
Definition vector_density (n : nat) (p : list R -> R) : Prop := (forall v, 0 <= p v) /\ iterated n p 1.
Definition vector_restricted (S : list R -> bool) (f : list R -> R) (v : list R) : R := if S v then f v else 0.
Definition vector_probability (n : nat) (p : list R -> R) (S : list R -> bool) (P : R) : Prop :=
  iterated n (vector_restricted S p) P.
Definition vector_close (n : nat) (eps del : R) (p q : list R -> R) : Prop :=
  forall S P Q, vector_probability n p S P -> vector_probability n q S Q -> P <= exp eps * Q + del.
Definition vector_DP {D} (adj : D -> D -> Prop) (n : nat) (eps del : R) (M : D -> list R -> R) : Prop :=
  forall d d', adj d d' -> vector_close n eps del (M d) (M d').
Definition vector_moment (n : nat) (a : R) (p q : list R -> R) (m : R) : Prop :=
  iterated n (fun v => p v * Rpower (p v / q v) (a - 1)) m.
Definition vector_renyi (n : nat) (a : R) (p q : list R -> R) (r : R) : Prop :=
  vector_moment n a p q (exp ((a - 1) * r)).
Definition vector_zCDP {D} (adj : D -> D -> Prop) (n : nat) (rho : R) (M : D -> list R -> R) : Prop :=
  forall d d' a, adj d d' -> 1 < a -> exists r, vector_renyi n a (M d) (M d') r /\ r <= a * rho.
Definition vector_loss_above (eps : R) (p q : list R -> R) (v : list R) : bool :=
  if Rlt_dec (exp eps * q v) (p v) then true else false.

(* ---------- events and bounds ---------- *)
Theorem vector_event_refutes n eps del p q S P Q : vector_probability n p S P -> vector_probability n q S Q ->
  exp eps * Q + del < P -> ~ vector_close n eps del p q.
Proof. intros HP HQ L H. specialize (H S P Q HP HQ). lra. Qed.
Lemma vector_gap n eps p q S P Q : vector_probability n p S P -> vector_probability n q S Q ->
  iterated n (vector_restricted S (fun v => p v - exp eps * q v)) (P - exp eps * Q).
Proof.
  intros HP HQ. pose proof (iterated_minus n _ _ _ _ HP (iterated_scal n (exp eps) _ _ HQ)) as H. revert H.
  apply iterated_ext. intros v _. unfold vector_restricted. destruct (S v); lra.
Qed.
Lemma vector_close_of_bound n eps del p q g h : (forall v, length v = n -> 0 <= g v) ->
  (forall v, length v = n -> p v - exp eps * q v <= g v) -> iterated n g h -> h <= del -> vector_close n eps del p q.
Proof.
  intros N B H L S P Q HP HQ. enough (P - exp eps * Q <= h) by lra.
  refine (iterated_le n _ g _ _ _ (vector_gap n eps p q S P Q HP HQ) H).
  intros v Lv. unfold vector_restricted. destruct (S v); auto.
Qed.
(* the event where the loss is above eps decides *)
Theorem vector_hockey_decides n eps del p q P Q : vector_probability n p (vector_loss_above eps p q) P ->
  vector_probability n q (vector_loss_above eps p q) Q -> vector_close n eps del p q <-> P - exp eps * Q <= del.
Proof.
  intros HP HQ. split. intros H. specialize (H _ _ _ HP HQ). lra.
  intros H. apply (vector_close_of_bound n eps del p q (fun v => Rmax 0 (p v - exp eps * q v)) (P - exp eps * Q)); auto.
  - intros v _. apply Rmax_l.
  - intros v _. apply Rmax_r.
  - pose proof (vector_gap n eps p q _ P Q HP HQ) as G. revert G. apply iterated_ext. intros v _.
    unfold vector_restricted, vector_loss_above. destruct (Rlt_dec _ _). rewrite Rmax_right; lra.
    rewrite Rmax_left; lra.
Qed.
Theorem vector_renyi_bounds_delta n a r eps p q : 1 < a -> (forall v, 0 < p v) -> (forall v, 0 < q v) ->
  vector_renyi n a p q r -> vector_close n eps (exp ((a - 1) * (r - eps))) p q.
Proof.
  intros A Pp Pq H.
  pose (g := fun v => exp (- ((a - 1) * eps)) * (p v * Rpower (p v / q v) (a - 1))).
  apply (vector_close_of_bound n eps _ p q g (exp (- ((a - 1) * eps)) * exp ((a - 1) * r))).
  - intros v _. left. repeat apply Rmult_lt_0_compat; auto; apply exp_pos.
  - intros v _. now apply gain_below_moment.
  - now apply iterated_scal.
  - rewrite <- exp_plus. right. f_equal. ring.
Qed.
Theorem vector_zcdp_bounds_delta {D} (adj : D -> D -> Prop) n rho eps (M : D -> list R -> R) : 0 < rho -> rho < eps ->
  (forall d v, 0 < M d v) -> vector_zCDP adj n rho M -> vector_DP adj n eps (exp (- ((eps - rho) ^ 2 / (4 * rho)))) M.
Proof.
  intros R0 E Pp Z d d' A. pose proof (best_order_above_one rho eps R0 E) as A1.
  destruct (Z d d' _ A A1) as (r & H & L).
  pose proof (vector_renyi_bounds_delta n _ r eps (M d) (M d') A1 (Pp d) (Pp d') H) as C.
  intros S P Q HP HQ. apply Rle_trans with (1 := C S P Q HP HQ). apply Rplus_le_compat_l. now apply best_order.
Qed.

(* ---------- independent coordinates ---------- *)
(* the density of independent coordinates with densities ps *)
Fixpoint independent (ps : list (R -> R)) (v : list R) : R :=
  match ps with [] => 1 | p :: ps => p (hd 0 v) * independent ps (tl v) end.
Lemma independent_positive ps v : List.Forall (fun p => forall x, 0 < p x) ps -> 0 < independent ps v.
Proof.
  intros H. revert v. induction H as [ | p ps P _ IH]; intros v; simpl. lra. now apply Rmult_lt_0_compat.
Qed.
Theorem independent_density ps : List.Forall density ps -> vector_density (length ps) (independent ps).
Proof.
  intros H. split.
  - induction H as [ | p ps (P & _) _ IH]; intros v; simpl. lra. now apply Rmult_le_pos.
  - induction H as [ | p ps (_ & _ & P) _ IH]. reflexivity.
    replace 1 with (1 * 1) by ring. now apply (iterated_product (length ps) p (independent ps)).
Qed.
Lemma moment_factors a p q p' q' : 0 < p -> 0 < q -> 0 < p' -> 0 < q' ->
  p * p' * Rpower (p * p' / (q * q')) (a - 1) = p * Rpower (p / q) (a - 1) * (p' * Rpower (p' / q') (a - 1)).
Proof.
  intros P Q P' Q'. replace (p * p' / (q * q')) with (p / q * (p' / q')) by (field; lra).
  rewrite <- Rpower_mult_distr by (apply Rdiv_lt_0_compat; auto). ring.
Qed.
(* the Renyi divergence of one more independent coordinate adds up *)
Theorem renyi_adds n a p q ps qs r r' : (forall x, 0 < p x) -> (forall x, 0 < q x) ->
  (forall v, 0 < ps v) -> (forall v, 0 < qs v) -> line_renyi a p q r -> vector_renyi n a ps qs r' ->
  vector_renyi (S n) a (fun v => p (hd 0 v) * ps (tl v)) (fun v => q (hd 0 v) * qs (tl v)) (r + r').
Proof.
  intros P Q Ps Qs H K. unfold vector_renyi, vector_moment.
  replace ((a - 1) * (r + r')) with ((a - 1) * r + (a - 1) * r') by ring. rewrite exp_plus.
  pose proof (iterated_product n _ _ _ _ H K) as I. revert I. apply iterated_ext.
  intros v _. symmetry. now apply moment_factors.
Qed.

(* ---------- adaptive composition ---------- *)
(* the first answer has density p, the others, chosen in its light, have density ps x *)
Definition adaptive (p : R -> R) (ps : R -> list R -> R) (v : list R) : R := p (hd 0 v) * ps (hd 0 v) (tl v).
Theorem adaptive_renyi n a p q ps qs r1 r2 m : (forall x, 0 < p x) -> (forall x, 0 < q x) ->
  (forall x v, 0 < ps x v) -> (forall x v, 0 < qs x v) ->
  (exists r, line_renyi a p q r /\ (a - 1) * r <= (a - 1) * r1) ->
  (forall x, exists r, vector_renyi n a (ps x) (qs x) r /\ (a - 1) * r <= (a - 1) * r2) ->
  vector_moment (S n) a (adaptive p ps) (adaptive q qs) m -> m <= exp ((a - 1) * (r1 + r2)).
Proof.
  intros P Q Ps Qs (r & H & L) K (g & G & M).
  assert (E : forall u v, u <= v -> exp u <= exp v) by (intros u v [h | ->]; [left; now apply exp_increasing | lra]).
  apply Rle_trans with (exp ((a - 1) * r2) * exp ((a - 1) * r)).
  - refine (integral_le g _ _ _ _ M (integral_scal _ (exp ((a - 1) * r2)) _ H)). intros x.
    destruct (K x) as (r' & I & L').
    assert (T : g x = p x * Rpower (p x / q x) (a - 1) * exp ((a - 1) * r')).
    { apply (iterated_unique n _ _ _ (G x)). pose proof (iterated_scal n (p x * Rpower (p x / q x) (a - 1)) _ _ I) as J.
      revert J. apply iterated_ext. intros v _. symmetry. unfold adaptive. simpl. now apply moment_factors. }
    rewrite T, Rmult_comm. apply Rmult_le_compat_r. 2: now apply E.
    left. apply Rmult_lt_0_compat; auto. apply exp_pos.
  - rewrite <- exp_plus. apply E. lra.
Qed.
