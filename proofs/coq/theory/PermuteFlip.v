(** * Permute-and-flip

    Candidates are looked at in an order that is uniformly random, and each is taken with probability
    exp((score - largest score) / lambda); the one with the largest score is taken when it is reached (McKenna and
    Sheldon 2020).  The mechanism is the procedure of Flips.v.  Proved here for every finite list of candidates, from
      the
    definitions of Finite.v: that it is a distribution; that it is eps-private with eps the span by which differences of
    scores move, over lambda, and so with twice the sensitivity over lambda; and that whatever one gains from the
      scores,
    if a larger score is never worth less, one gains at least as much on average as with the exponential mechanism of
    Mechanisms.v. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Conversion Concentrated Mechanisms Flips.
Open Scope R_scope.

(** ** The mechanism *)

(** The largest score of the candidates. *)
Fixpoint largest {O} (s : O -> R) (l : list O) : R :=
  match l with nil => 0 | o :: nil => s o | o :: l => Rmax (s o) (largest s l) end.
(** The probability with which a candidate is taken when it is looked at: $e^{(s_o-\max s)/\lambda}$. *)
Definition acceptance {O} (l : list O) (s : O -> R) lambda o := exp ((s o - largest s l) / lambda).
(** Permute-and-flip: the mass of candidate o, which [dec] tells from the others. *)
Definition permute_and_flip {D O} (dec : forall x y : O, {x = y} + {x <> y}) (l : list O) (score : D -> O -> R) lambda d
  o :=
  flips (acceptance l (score d) lambda) (length l) l (fun x => if dec x o then 1 else 0).

Lemma largest_above {O} (s : O -> R) l o : In o l -> s o <= largest s l.
Proof.
  induction l as [ | a [ | b l] IH]. easy. intros [<- | []]. simpl; lra.
  change (In o (a :: b :: l) -> s o <= Rmax (s a) (largest s (b :: l))). intros [<- | I]. apply Rmax_l.
  eapply Rle_trans. now apply IH. apply Rmax_r.
Qed.
Lemma largest_in {O} (s : O -> R) l : l <> nil -> exists o, In o l /\ s o = largest s l.
Proof.
  induction l as [ | a [ | b l] IH]. easy. intros _. exists a. split. now left. reflexivity.
  intros _. destruct IH as (o & I & E). easy. change (exists o, In o (a :: b :: l) /\ s o = Rmax (s a) (largest s (b ::
    l))).
  unfold Rmax. destruct (Rle_dec _ _). exists o. split; auto. now right. exists a. split; auto. now left.
Qed.
Lemma acceptance_bounds {O} (l : list O) s lambda o : 0 < lambda -> In o l -> 0 < acceptance l s lambda o <= 1.
Proof.
  intros L I. split. apply exp_pos. rewrite <- exp_0. apply exp_mono. pose proof (largest_above s l o I).
  unfold Rdiv. pose proof (Rinv_0_lt_compat _ L). nra.
Qed.
Lemma acceptance_one {O} (l : list O) s lambda : l <> nil -> exists o, In o l /\ acceptance l s lambda o = 1.
Proof.
  intros N. destruct (largest_in s l N) as (o & I & E). exists o. split; auto. unfold acceptance.
  rewrite E, Rminus_diag_eq by reflexivity. unfold Rdiv. now rewrite Rmult_0_l, exp_0.
Qed.
Lemma product_between {A} (l : list A) f g : (forall a, In a l -> 0 <= f a <= g a) ->
  0 <= product_over l f <= product_over l g.
Proof.
  induction l as [ | a l IH]; simpl; intros H. lra. pose proof (H a (or_introl eq_refl)).
  pose proof (IH (fun b h => H b (or_intror h))). split. apply Rmult_le_pos; lra. apply Rmult_le_compat; lra.
Qed.
Lemma area_between {O} (a b : O -> R) l m : (forall x, 0 < x < 1 -> left_over a l x <= left_over b m x) -> area a l <=
  area b m.
Proof.
  intros H. apply (is_RInt_le (left_over a l) (left_over b m) 0 1); auto; try lra; apply area_is.
Qed.

Lemma area_nonneg {O} (l : list O) s lambda p : 0 < lambda -> In p (picks l) -> 0 <= area (acceptance l s lambda) (snd
  p).
Proof.
  intros L I. pose proof (is_RInt_const 0 1 (0 : R)) as K. unfold scal in K. simpl in K. unfold mult in K. simpl in K.
  rewrite Rmult_0_r in K. apply (is_RInt_le (fun _ => 0) (left_over (acceptance l s lambda) (snd p)) 0 1 0 (area
    (acceptance l s lambda) (snd p)));
    auto; try lra. apply area_is.
  intros x X. apply (product_between (snd p) (fun u => 1 - x * acceptance l s lambda u) (fun u => 1 - x * acceptance l s
    lambda u)).
  intros u J. pose proof (acceptance_bounds l s lambda u L (picks_in l p u I (or_intror J))). split; nra.
Qed.
(** All masses add up to one: $\prod_u(1-xa_u)$ falls from one to zero, as the largest acceptance is one. *)
Lemma areas_total {O} (l : list O) s lambda (a := acceptance l s lambda) : l <> nil ->
  sum_over (picks l) (fun p => a (fst p) * area a (snd p)) = 1.
Proof.
  intros N. assert (I1 : is_RInt (fun x => - sum_over (picks l) (fun p => a (fst p) * left_over a (snd p) x)) 0 1
    (- sum_over (picks l) (fun p => a (fst p) * area a (snd p)))).
  { apply (is_RInt_opp (fun x => sum_over (picks l) (fun p => a (fst p) * left_over a (snd p) x))).
    apply (sum_RInt (picks l) (fun p x => a (fst p) * left_over a (snd p) x)). intros p.
    apply (is_RInt_scal (left_over a (snd p))), area_is. }
  assert (I2 : is_RInt (fun x => - sum_over (picks l) (fun p => a (fst p) * left_over a (snd p) x)) 0 1
    (minus (left_over a l 1) (left_over a l 0))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule) (left_over a l)). intros; apply left_over_derive.
    intros x _. apply (continuous_opp (fun x => sum_over (picks l) (fun p => a (fst p) * left_over a (snd p) x))).
    induction (picks l) as [ | p m IH]; simpl. apply continuous_const.
    apply (continuous_plus (fun x => a (fst p) * left_over a (snd p) x)).
    apply (continuous_scal_r (a (fst p)) (left_over a (snd p))). apply left_over_continuous. apply IH.
    apply (is_RInt_opp (fun x => sum_over m (fun p => a (fst p) * left_over a (snd p) x))).
    apply (sum_RInt m (fun p x => a (fst p) * left_over a (snd p) x)). intros q.
    apply (is_RInt_scal (left_over a (snd q))), area_is. }
  pose proof (is_RInt_unique _ _ _ _ I1) as U1. pose proof (is_RInt_unique _ _ _ _ I2) as U2. rewrite U1 in U2.
  destruct (acceptance_one l s lambda N) as (o & J & E).
  rewrite left_over_zero, (left_over_one a l o J E) in U2. change (minus 0 1) with (0 - 1) in U2. lra.
Qed.
Lemma one_candidate {O} (dec : forall x y : O, {x = y} + {x <> y}) (l : list O) b f : NoDup l -> In b l ->
  sum_over l (fun o => f o * (if dec b o then 1 else 0)) = f b.
Proof.
  intros ND. induction ND as [ | o m O1 ND IH]; simpl. easy. intros [<- | J].
  - destruct (dec o o); [ | easy]. rewrite (sum_ext m _ (fun _ => 0)). rewrite sum_zero. ring.
    intros c K. destruct (dec o c) as [<- | ]. easy. ring.
  - destruct (dec b o) as [-> | ]. easy. rewrite IH by auto. ring.
Qed.
(** What one gains on average, if candidate o is worth g(o). *)
Lemma permute_and_flip_mean {D O} dec (l : list O) (score : D -> O -> R) lambda d g (a := acceptance l (score d) lambda)
  :
  NoDup l -> sum_over l (fun o => g o * permute_and_flip dec l score lambda d o)
    = sum_over (picks l) (fun p => g (fst p) * (a (fst p) * area a (snd p))).
Proof.
  intros ND. rewrite (sum_ext l _ (fun o => sum_over (picks l) (fun p =>
    (g o * (if dec (fst p) o then 1 else 0)) * (a (fst p) * area a (snd p))))).
  2: { intros o _. unfold permute_and_flip. rewrite flips_law, <- sum_scal. apply sum_ext. intros. fold a. ring. }
  rewrite sum_swap. apply sum_ext. intros p I. rewrite sum_scal_r, one_candidate; auto.
  apply (picks_in l p); auto.
Qed.
Theorem permute_and_flip_mechanism {D O} dec (l : list O) (score : D -> O -> R) lambda : NoDup l -> l <> nil ->
  0 < lambda -> mechanism l (permute_and_flip dec l score lambda).
Proof.
  intros ND N L d. split.
  - intros o. unfold permute_and_flip. rewrite flips_law. apply sum_nonneg. intros p I.
    apply Rmult_le_pos. destruct (dec _ _); lra. apply Rmult_le_pos. left; apply exp_pos. now apply area_nonneg.
  - rewrite (sum_ext l _ (fun o => (fun _ => 1) o * permute_and_flip dec l score lambda d o)) by (intros; ring).
    rewrite (permute_and_flip_mean dec l score lambda d (fun _ => 1)) by auto.
    etransitivity. 2: apply (areas_total l (score d) lambda N). apply sum_ext. intros. apply Rmult_1_l.
Qed.

(** ** Privacy *)

(** Differences of scores move by at most Delta: permute-and-flip is $\frac\Delta\lambda$-DP. *)
Theorem permute_and_flip_span {D O} (neighbours : D -> D -> Prop) dec (l : list O) (score : D -> O -> R) lambda Delta :
  l <> nil -> 0 < lambda ->
  (forall d d', neighbours d d' -> forall u v, (score d u - score d v) - (score d' u - score d' v) <= Delta) ->
  DP neighbours l (Delta / lambda) 0 (permute_and_flip dec l score lambda).
Proof.
  intros N L S d d' A. specialize (S d d' A). apply close_of_ratio. intros o _. unfold permute_and_flip.
  rewrite !flips_law, <- sum_scal. set (a := acceptance l (score d) lambda). set (b := acceptance l (score d') lambda).
  apply sum_le. intros p I. set (r := fst p).
  enough (a r * area a (snd p) <= exp (Delta / lambda) * (b r * area b (snd p))) as K.
  { destruct (dec r o). lra. rewrite !Rmult_0_l. lra. }
  pose proof (Rinv_0_lt_compat _ L) as L'.
  assert (Z : forall u v w, u - v - w <= Delta -> (u - v) / lambda <= Delta / lambda + w / lambda).
  { intros u v w H. unfold Rdiv. rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; lra. }
  set (k := exp (- (Delta / lambda)) * a r / b r). assert (B0 : 0 < b r) by apply exp_pos.
  assert (K0 : 0 < k) by (apply Rdiv_lt_0_compat; auto; apply Rmult_lt_0_compat; apply exp_pos).
  assert (K1 : k <= 1).
  { apply Rle_div_l; auto. rewrite Rmult_1_l. unfold a, b, acceptance. rewrite <- exp_plus. apply exp_mono.
    destruct (largest_in (score d') l N) as (u & J & E). rewrite <- E. specialize (S r u).
    pose proof (largest_above (score d) l u J).
    specialize (Z (score d r) (largest (score d) l) (score d' r - score d' u) ltac:(lra)). lra. }
  assert (KU : forall u, k * b u <= a u).
  { intros u. apply (Rmult_le_reg_r (b r)); auto.
    replace (k * b u * b r) with (exp (- (Delta / lambda)) * (a r * b u)) by (unfold k; field; lra).
    unfold a, b, acceptance. rewrite <- !exp_plus. apply exp_mono. specialize (S r u).
    specialize (Z (score d r) (score d u) (score d' r - score d' u) ltac:(lra)). unfold Rdiv in *. lra. }
  assert (IB : forall x y, ex_RInt (left_over b (snd p)) x y).
  { intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply left_over_continuous. }
  enough (k * area a (snd p) <= area b (snd p)) as G.
  { apply (Rmult_le_compat_l (exp (Delta / lambda) * b r)) in G. 2: left; apply Rmult_lt_0_compat; auto; apply exp_pos.
    rewrite <- Rmult_assoc. eapply Rle_trans. 2: apply G. right. unfold k. rewrite exp_Ropp.
    pose proof (exp_pos (Delta / lambda)). field. lra. }
  unfold area at 2. rewrite <- (RInt_Chasles (left_over b (snd p)) 0 k 1) by auto. change plus with Rplus.
  assert (P2 : 0 <= RInt (left_over b (snd p)) k 1).
  { apply RInt_ge_0; auto. intros x X.
    apply (product_between (snd p) (fun u => 1 - x * b u) (fun u => 1 - x * b u)).
    intros u J. pose proof (acceptance_bounds l (score d') lambda u L (picks_in l p u I (or_intror J))). fold b in H.
      split; nra. }
  enough (k * area a (snd p) <= RInt (left_over b (snd p)) 0 k) by lra.
  pose proof (RInt_comp_lin (left_over b (snd p)) k 0 0 1 (IB _ _)) as C.
  replace (k * 0 + 0) with 0 in C by ring. replace (k * 1 + 0) with k in C by ring. rewrite <- C. clear C.
  apply (is_RInt_le (fun x => k * left_over a (snd p) x) (fun y => k * left_over b (snd p) (k * y + 0)) 0 1). lra.
  apply (is_RInt_scal (left_over a (snd p))), area_is.
  { apply (RInt_correct (fun y => scal k (left_over b (snd p) (k * y + 0)))). apply (ex_RInt_comp_lin (left_over b (snd
    p)) k 0 0 1). auto. }
  intros x X. apply Rmult_le_compat_l. lra. rewrite Rplus_0_r.
  apply (product_between (snd p) (fun u => 1 - x * a u) (fun u => 1 - k * x * b u)). intros u J.
  pose proof (acceptance_bounds l (score d) lambda u L (picks_in l p u I (or_intror J))) as Au. fold a in Au.
  specialize (KU u). assert (x * (k * b u) <= x * a u) by (apply Rmult_le_compat_l; lra). split; nra.
Qed.
(** Scores move by at most Delta: permute-and-flip is $\frac{2\Delta}\lambda$-DP. *)
Theorem permute_and_flip_pure {D O} (neighbours : D -> D -> Prop) dec (l : list O) (score : D -> O -> R) lambda Delta :
  l <> nil -> 0 < lambda ->
  (forall d d', neighbours d d' -> forall o, Rabs (score d o - score d' o) <= Delta) ->
  DP neighbours l (2 * Delta / lambda) 0 (permute_and_flip dec l score lambda).
Proof.
  intros N L S. apply permute_and_flip_span; auto. intros d d' A u v. pose proof (S d d' A u) as H. pose proof (S d d' A
    v) as K.
  apply Rabs_le_between in H, K. lra.
Qed.

(** ** Against the exponential mechanism *)

(** Where h and k grow together, the mean of their product is at least the product of their means. *)
Lemma grow_together {A} (m : list A) w h k : (forall i, In i m -> 0 <= w i) -> sum_over m w = 1 ->
  (forall i j, In i m -> In j m -> 0 <= (h i - h j) * (k i - k j)) ->
  sum_over m (fun i => w i * h i) * sum_over m (fun i => w i * k i) <= sum_over m (fun i => w i * (h i * k i)).
Proof.
  intros W S H. set (sh := sum_over m (fun i => w i * h i)). set (sk := sum_over m (fun i => w i * k i)).
  set (sb := sum_over m (fun i => w i * (h i * k i))).
  assert (P : 0 <= sum_over m (fun i => sum_over m (fun j => w i * (w j * ((h i - h j) * (k i - k j)))))).
  { apply sum_nonneg. intros i I. apply sum_nonneg. intros j J. apply Rmult_le_pos; auto. apply Rmult_le_pos; auto. }
  assert (E : sum_over m (fun i => sum_over m (fun j => w i * (w j * ((h i - h j) * (k i - k j))))) = 2 * (sb - sh *
    sk)).
  { rewrite (sum_ext m _ (fun i => (w i * (h i * k i) - sk * (w i * h i)) - (sh * (w i * k i) - sb * w i))).
    rewrite !sum_minus, !sum_scal, S. fold sh sk sb. ring.
    intros i _. rewrite sum_scal. rewrite (sum_ext m _ (fun j => (h i * k i * w j - h i * (w j * k j)) - (k i * (w j * h
      j) - w j * (h j * k j))))
      by (intros; ring). rewrite !sum_minus, !sum_scal, S. fold sh sk sb. ring. }
  lra.
Qed.
(** Permute-and-flip is never worse on average, whatever scores are worth, if more is never worth less. *)
Theorem permute_and_flip_never_worse {D O} dec (l : list O) (score : D -> O -> R) lambda d h : NoDup l -> l <> nil ->
  0 < lambda -> (forall x y, x <= y -> h x <= h y) ->
  sum_over l (fun o => h (score d o) * exponential l score lambda d o)
    <= sum_over l (fun o => h (score d o) * permute_and_flip dec l score lambda d o).
Proof.
  intros ND N L Hh. set (s := score d). rewrite (permute_and_flip_mean dec l score lambda d (fun o => h (s o)) ND).
  set (a := acceptance l (score d) lambda). set (t := sum_over l a).
  assert (T : 0 < t) by (apply sum_pos; auto; intros; apply exp_pos).
  assert (E : forall o, exponential l score lambda d o = a o / t).
  { intros o. unfold t, a, exponential, acceptance. fold s. set (c := exp (- (largest s l / lambda))).
    assert (C : forall o, exp ((s o - largest s l) / lambda) = c * exp (s o / lambda)).
    { intros u. unfold c. rewrite <- exp_plus. f_equal. field. lra. }
    rewrite C, (sum_ext l _ _ (fun u _ => C u)), sum_scal.
    assert (0 < sum_over l (fun u => exp (s u / lambda))) by (apply sum_pos; auto; intros; apply exp_pos).
    assert (0 < c) by apply exp_pos. field. lra. }
  pose proof (areas_total l (score d) lambda N) as TA. fold a in TA.
  assert (TW : sum_over (picks l) (fun p => a (fst p) / t) = 1).
  { rewrite (sum_picks l (fun o => a o / t)). unfold Rdiv. rewrite sum_scal_r. fold t. field. lra. }
  pose proof (grow_together (picks l) (fun p => a (fst p) / t) (fun p => h (s (fst p))) (fun p => t * area a (snd p)))
    as G.
  cbv beta in G.
  rewrite (sum_ext l _ (fun o => a o / t * h (s o))) by (intros; fold s; rewrite E; ring).
  rewrite <- (sum_picks l (fun o => a o / t * h (s o))).
  replace (sum_over (picks l) (fun p => a (fst p) / t * (t * area a (snd p)))) with 1 in G.
  2: { rewrite <- TA. apply sum_ext. intros. field. lra. }
  rewrite Rmult_1_r in G. eapply Rle_trans. apply G; auto.
  - intros p _. left. apply Rdiv_lt_0_compat; auto. apply exp_pos.
  - assert (M : forall p q, In p (picks l) -> In q (picks l) -> s (fst p) <= s (fst q) -> area a (snd p) <= area a (snd
    q)).
    { intros p q I J C. apply area_between. intros x X.
      pose proof (product_picks l (fun u => 1 - x * a u) p I) as Ep. pose proof (product_picks l (fun u => 1 - x * a u)
        q J) as Eq.
      assert (Apq : a (fst p) <= a (fst q)).
      { apply exp_mono. unfold Rdiv. apply Rmult_le_compat_r. left; now apply Rinv_0_lt_compat. fold s. lra. }
      pose proof (acceptance_bounds l (score d) lambda (fst q) L (picks_in l q _ J (or_introl eq_refl))) as Bq. fold a
        in Bq.
      assert (P0 : 0 <= left_over a (snd p) x).
      { apply (product_between (snd p) (fun u => 1 - x * a u) (fun u => 1 - x * a u)). intros u K.
        pose proof (acceptance_bounds l (score d) lambda u L (picks_in l p u I (or_intror K))). fold a in H. split; nra.
          }
      fold (left_over a (snd p) x) in Ep. fold (left_over a (snd q) x) in Eq. rewrite Ep in Eq.
      apply (Rmult_le_reg_l (1 - x * a (fst q))). nra. rewrite <- Eq. apply Rmult_le_compat_r; auto. nra. }
    intros p q I J. destruct (Rle_lt_dec (s (fst p)) (s (fst q))) as [C | C].
    + pose proof (Hh _ _ C). pose proof (Rmult_le_compat_l t _ _ (Rlt_le _ _ T) (M p q I J C)). nra.
    + apply Rlt_le in C. pose proof (Hh _ _ C). pose proof (Rmult_le_compat_l t _ _ (Rlt_le _ _ T) (M q p J I C)). nra.
  - right. apply sum_ext. intros. field. lra.
Qed.
