(** * Amplification and billboards on output spaces of any kind

    Sampling without replacement mixes laws, and so does what an observation with finitely many outcomes sees of them: what
    AmplifiedOrders.v proves on finite output spaces holds of every observation, hence of the Renyi divergence on any
    output space.  What is a function of a billboard, and of data that neighbours share, costs what the billboard
    costs, because the events of the function are events of the billboard. *)
From Dpref Require Import Finite Interaction Renyi Replacement AmplifiedRenyi AmplifiedOrders Events.
From Coq Require Import Permutation.
Open Scope R_scope.

(** Wang, Balle and Kasiviswanathan 2019, Theorem 9, on a sample of m of n records. *)
Theorem amplification_on {X T} (E : (T -> bool) -> Prop) m n a (M : list X -> (T -> bool) -> R) D pure :
  algebra E -> (forall s, law E (M s)) -> (0 < m <= n)%nat -> (2 <= a)%nat ->
  (forall s s', Permutation s s' -> forall S, M s S = M s' S) ->
  (forall j, (2 <= j <= a)%nat -> forall d d', replace_one d d' -> renyi_on E (INR j) (D j) (M d) (M d')) ->
  match pure with None => True | Some eps => 0 <= eps /\ DP_on replace_one E eps 0 M end ->
  forall d d', replace_one_of n d d' -> renyi_on E (INR a)
    (ln (1 + sampled_total a (INR m / INR n) (gap_bound D pure)) / (INR a - 1)) (sampled m M d) (sampled m M d').
Proof.
  intros A L K H P B C d d' N k f O.
  refine (amplification_at_integer_orders (seq 0 k) m n a (fun s => seen (M s) f) D pure K H _ _ _ _ d d' N).
  - intros s. apply (seen_distribution E); auto.
  - intros s s' I o. now apply P.
  - intros j J x y I. now apply (B j J).
  - destruct pure as [eps | ]; auto. destruct C as [C0 C]. split; auto. intros x y I. now apply (close_on_is_seen E); auto.
Qed.
(** The billboard lemma: what everybody else is told is a function of the billboard and of data that neighbours share. *)
Theorem billboard_on {D W T U} (neighbours : D -> D -> Prop) (E : (T -> bool) -> Prop) (F : (U -> bool) -> Prop) eps del
    (others : D -> W) (M : D -> (T -> bool) -> R) (act : W -> T -> U) :
  (forall d d', neighbours d d' -> others d = others d') -> (forall w S, F S -> E (fun t => S (act w t))) ->
  DP_on neighbours E eps del M -> DP_on neighbours F eps del (fun d S => M d (fun t => S (act (others d) t))).
Proof. intros S A H d d' N Q I. rewrite (S d d' N). apply H; auto. Qed.
