(** * Privacy on finite output spaces: the definitions

    A data set is a value of any type D, and which data sets are neighbours is a relation on D.  The outputs of a
    mechanism are the values that a list enumerates; the mechanism gives each data set a mass function on them.  Masses
    may be zero.  Differential privacy is stated over events (subsets of the outputs), pure and approximate; Renyi
    divergence and zCDP include that the support of the one side lies in that of the other.

    Proved here: what these definitions say of one another at once.  The hockey-stick divergence is attained by one event
    and is the least delta; tests with values in [0, 1] say no more than events; ratios that are bounded everywhere are
    pure differential privacy.  Nothing is assumed beyond Coq's real numbers. *)
From Coq Require Export Reals Lra List Psatz.
Export ListNotations.
Open Scope R_scope.

(** ** Sums over a list *)

Fixpoint sum_over {A} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l => f a + sum_over l f end.

Section Sums.
  Context {A : Type}.
  Implicit Types (l : list A) (f g : A -> R).
  Lemma sum_ext l f g : (forall a, In a l -> f a = g a) -> sum_over l f = sum_over l g.
  Proof. induction l; simpl; intros H; auto. rewrite (H a), IHl; auto. Qed.
  Lemma sum_le l f g : (forall a, In a l -> f a <= g a) -> sum_over l f <= sum_over l g.
  Proof.
    induction l; simpl; intros H. lra. pose proof (H a (or_introl eq_refl)).
    pose proof (IHl (fun b h => H b (or_intror h))). lra.
  Qed.
  Lemma sum_scal l c f : sum_over l (fun a => c * f a) = c * sum_over l f.
  Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
  Lemma sum_scal_r l c f : sum_over l (fun a => f a * c) = sum_over l f * c.
  Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
  Lemma sum_plus l f g : sum_over l (fun a => f a + g a) = sum_over l f + sum_over l g.
  Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
  Lemma sum_minus l f g : sum_over l (fun a => f a - g a) = sum_over l f - sum_over l g.
  Proof. induction l; simpl; rewrite ?IHl; ring. Qed.
  Lemma sum_zero l : sum_over l (fun _ => 0) = 0.
  Proof. induction l; simpl; lra. Qed.
  Lemma sum_nonneg l f : (forall a, In a l -> 0 <= f a) -> 0 <= sum_over l f.
  Proof. intros H. rewrite <- (sum_zero l). apply sum_le; auto. Qed.
  Lemma sum_pos l f : l <> [] -> (forall a, 0 < f a) -> 0 < sum_over l f.
  Proof.
    destruct l; intros N H. easy. simpl. pose proof (H a).
    pose proof (sum_nonneg l f (fun b _ => Rlt_le _ _ (H b))). lra.
  Qed.
  (** One term of a sum of non-negative terms is at most the sum. *)
  Lemma sum_one l f a : In a l -> (forall b, In b l -> 0 <= f b) -> f a <= sum_over l f.
  Proof.
    induction l as [ | b l IH]; simpl; intros I H. easy. pose proof (sum_nonneg l f (fun c h => H c (or_intror h))).
    pose proof (H b (or_introl eq_refl)). destruct I as [<- | I]. lra. pose proof (IH I (fun c h => H c (or_intror h))). lra.
  Qed.
  Lemma sum_is_zero l f a : (forall b, In b l -> 0 <= f b) -> sum_over l f = 0 -> In a l -> f a = 0.
  Proof. intros H S I. pose proof (sum_one l f a I H). pose proof (H a I). lra. Qed.
End Sums.

Lemma sum_swap {A B} (l : list A) (m : list B) f :
  sum_over l (fun a => sum_over m (fun b => f a b)) = sum_over m (fun b => sum_over l (fun a => f a b)).
Proof.
  induction l; simpl. now rewrite sum_zero. rewrite IHl, <- sum_plus. reflexivity.
Qed.
Lemma sum_app {A} (l m : list A) f : sum_over (l ++ m) f = sum_over l f + sum_over m f.
Proof. induction l; simpl; rewrite ?IHl; lra. Qed.
Lemma sum_map {A B} (h : A -> B) (l : list A) f : sum_over (map h l) f = sum_over l (fun a => f (h a)).
Proof. induction l; simpl; rewrite ?IHl; lra. Qed.
Lemma sum_prod {A B} (l : list A) (m : list B) f :
  sum_over (list_prod l m) f = sum_over l (fun a => sum_over m (fun b => f (a, b))).
Proof. induction l; simpl; auto. rewrite sum_app, sum_map, IHl. reflexivity. Qed.

Lemma exp_mono a b : a <= b -> exp a <= exp b.
Proof. intros [h | ->]; [left; now apply exp_increasing | lra]. Qed.
Lemma exp_mono_inv a b : exp a <= exp b -> a <= b.
Proof. intros H. destruct (Rle_lt_dec a b); auto. pose proof (exp_increasing b a r). lra. Qed.

(** ** Neighbouring data *)

(** Data sets that are lists of records: one record has another value, or one record is there or not. *)
Definition replace_one {X} (d d' : list X) := exists a x y b, d = a ++ x :: b /\ d' = a ++ y :: b.
Definition remove_one {X} (d d' : list X) := exists a x b, d = a ++ x :: b /\ d' = a ++ b.
Definition add_or_remove_one {X} (d d' : list X) := remove_one d d' \/ remove_one d' d.

(** ** Mechanisms and differential privacy *)

(** A distribution on the outputs [l]: masses that are not negative and add up to one. *)
Definition distribution {O} (l : list O) (p : O -> R) := (forall o, 0 <= p o) /\ sum_over l p = 1.
(** A mechanism: a distribution for each data set. *)
Definition mechanism {D O} (l : list O) (M : D -> O -> R) := forall d, distribution l (M d).
(** The probability of an event. *)
Definition prob {O} (l : list O) (p : O -> R) (E : O -> bool) := sum_over l (fun o => if E o then p o else 0).
(** No event is likelier under p than exp(eps) times what it is under q, but for del. *)
Definition close {O} (l : list O) (eps del : R) (p q : O -> R) :=
  forall E, prob l p E <= exp eps * prob l q E + del.
(** (eps, del)-differential privacy; pure for del = 0. *)
Definition DP {D O} (neighbours : D -> D -> Prop) (l : list O) (eps del : R) (M : D -> O -> R) :=
  forall d d', neighbours d d' -> close l eps del (M d) (M d').

(** The hockey-stick divergence at exp(eps). *)
Definition hockey {O} (l : list O) eps (p q : O -> R) := sum_over l (fun o => Rmax 0 (p o - exp eps * q o)).

(** ** Renyi divergence and zCDP *)

(** Where p has mass, q has mass. *)
Definition supported {O} (l : list O) (p q : O -> R) := forall o, In o l -> 0 < p o -> 0 < q o.
(** The moment E_p (p / q)^(a - 1) = sum of p^a q^(1 - a); an output with p = 0 adds nothing. *)
Definition moment {O} (l : list O) a (p q : O -> R) := sum_over l (fun o => p o * Rpower (p o / q o) (a - 1)).
(** The Renyi divergence of order a is ln(moment) / (a - 1), and infinite where p has mass and q has none. *)
Definition renyi_divergence {O} (l : list O) a (p q : O -> R) := ln (moment l a p q) / (a - 1).
(** The Renyi divergence of order a > 1 is at most r. *)
Definition renyi {O} (l : list O) a r (p q : O -> R) := supported l p q /\ moment l a p q <= exp ((a - 1) * r).
Definition RDP {D O} (neighbours : D -> D -> Prop) (l : list O) a r (M : D -> O -> R) :=
  forall d d', neighbours d d' -> renyi l a r (M d) (M d').
(** rho-zCDP: at every order a > 1 the divergence is at most rho a. *)
Definition zCDP {D O} (neighbours : D -> D -> Prop) (l : list O) rho (M : D -> O -> R) :=
  forall a, 1 < a -> RDP neighbours l a (rho * a) M.

(** ** Probabilities *)

Lemma prob_gap {O} (l : list O) eps p q E :
  prob l p E - exp eps * prob l q E = sum_over l (fun o => if E o then p o - exp eps * q o else 0).
Proof. unfold prob. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros o _. destruct (E o); lra. Qed.
Lemma prob_bounds {O} (l : list O) p E : distribution l p -> 0 <= prob l p E <= 1.
Proof.
  intros [N S]. split. apply sum_nonneg. intros o _. destruct (E o); [apply N | lra].
  rewrite <- S. apply sum_le. intros o _. pose proof (N o). destruct (E o); lra.
Qed.

(** ** The hockey-stick divergence: attained by one event, and the least delta *)

Definition above {O} eps (p q : O -> R) (o : O) : bool := if Rlt_dec (exp eps * q o) (p o) then true else false.
Theorem hockey_attained {O} (l : list O) eps p q :
  hockey l eps p q = prob l p (above eps p q) - exp eps * prob l q (above eps p q).
Proof.
  rewrite prob_gap. apply sum_ext. intros o _. unfold above. destruct (Rlt_dec _ _).
  apply Rmax_right; lra. apply Rmax_left; lra.
Qed.
Theorem hockey_is_delta {O} (l : list O) eps del p q : close l eps del p q <-> hockey l eps p q <= del.
Proof.
  split. intros H. rewrite hockey_attained. specialize (H (above eps p q)). lra.
  intros H E. enough (prob l p E - exp eps * prob l q E <= hockey l eps p q) by lra.
  rewrite prob_gap. apply sum_le. intros o _. destruct (E o). apply Rmax_r. apply Rmax_l.
Qed.
Lemma hockey_nonneg {O} (l : list O) eps p q : 0 <= hockey l eps p q.
Proof. apply sum_nonneg. intros. apply Rmax_l. Qed.
(** The same for tests with values in [0, 1] instead of events. *)
Lemma close_tests {O} (l : list O) eps del p q g : close l eps del p q -> (forall o, 0 <= g o <= 1) ->
  sum_over l (fun o => p o * g o) <= exp eps * sum_over l (fun o => q o * g o) + del.
Proof.
  intros H G. apply hockey_is_delta in H.
  enough (sum_over l (fun o => p o * g o)
    <= sum_over l (fun o => exp eps * (q o * g o) + Rmax 0 (p o - exp eps * q o))) as T.
  { rewrite sum_plus, sum_scal in T. unfold hockey in H. lra. }
  apply sum_le. intros o _. specialize (G o). pose proof (Rmax_l 0 (p o - exp eps * q o)).
  pose proof (Rmax_r 0 (p o - exp eps * q o)).
  enough ((p o - exp eps * q o) * g o <= Rmax 0 (p o - exp eps * q o)) by lra. nra.
Qed.
Lemma close_weaken {O} (l : list O) eps eps' del del' p q : (forall o, 0 <= q o) -> eps <= eps' -> del <= del' ->
  close l eps del p q -> close l eps' del' p q.
Proof.
  intros N H K C E. specialize (C E). pose proof (exp_mono _ _ H). assert (0 <= prob l q E) as Q.
  { apply sum_nonneg. intros o _. destruct (E o); [apply N | lra]. } nra.
Qed.

(** ** Pure differential privacy is a bound on every ratio *)

Lemma close_of_ratio {O} (l : list O) eps p q : (forall o, In o l -> p o <= exp eps * q o) -> close l eps 0 p q.
Proof.
  intros H E. rewrite Rplus_0_r. unfold prob. rewrite <- sum_scal. apply sum_le. intros o I.
  specialize (H o I). destruct (E o); lra.
Qed.
Lemma ratio_of_close {O} (l : list O) eps p q : close l eps 0 p q -> forall o, In o l -> p o <= exp eps * q o.
Proof.
  intros H o I. apply hockey_is_delta in H. pose proof (hockey_nonneg l eps p q).
  pose proof (sum_is_zero l (fun o => Rmax 0 (p o - exp eps * q o)) o (fun b _ => Rmax_l _ _) ltac:(unfold hockey in *; lra) I).
  pose proof (Rmax_r 0 (p o - exp eps * q o)). simpl in *. lra.
Qed.
Theorem pure_is_pointwise {D O} (neighbours : D -> D -> Prop) (l : list O) eps (M : D -> O -> R) :
  DP neighbours l eps 0 M <-> (forall d d', neighbours d d' -> forall o, In o l -> M d o <= exp eps * M d' o).
Proof.
  split; intros H d d' A. apply ratio_of_close, H, A. apply close_of_ratio, H, A.
Qed.
