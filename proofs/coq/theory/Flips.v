(** * Candidates in random order, each taken or laid aside

    One of the candidates that are left, all equally likely, is looked at and taken with its own probability a, or laid
    aside for good.  Proved here for every finite list of candidates and every a: candidate r is taken with probability
    a_r times the integral over [0, 1] of the product of 1 - x a_u over all others u; and what two candidates come to.
      *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Convexity.
Open Scope R_scope.

(** Each element of a list, with the others. *)
Fixpoint picks {A} (l : list A) : list (A * list A) :=
  match l with nil => nil | x :: l => (x, l) :: map (fun p => (fst p, x :: snd p)) (picks l) end.
Fixpoint product_over {A} (l : list A) (f : A -> R) : R := match l with nil => 1 | a :: l => f a * product_over l f end.

Lemma sum_picks {A} (l : list A) f : sum_over (picks l) (fun p => f (fst p)) = sum_over l f.
Proof. induction l as [ | x l IH]; simpl; auto. rewrite sum_map. simpl. now rewrite IH. Qed.
Lemma picks_length {A} (l : list A) p : In p (picks l) -> S (length (snd p)) = length l.
Proof.
  revert p. induction l as [ | x l IH]; simpl; intros p. easy. intros [<- | I]. reflexivity.
  apply in_map_iff in I. destruct I as (q & <- & I). simpl. now rewrite IH.
Qed.
Lemma picks_in {A} (l : list A) p a : In p (picks l) -> a = fst p \/ In a (snd p) -> In a l.
Proof.
  revert p. induction l as [ | x l IH]; simpl; intros p. easy. intros [<- | I]. simpl. intuition.
  apply in_map_iff in I. destruct I as (q & <- & I). simpl. intros [-> | [-> | J]]; auto; right; apply (IH q); auto.
Qed.
Lemma picks_all {A} (l : list A) p a : In p (picks l) -> In a l -> a = fst p \/ In a (snd p).
Proof.
  revert p. induction l as [ | x l IH]; simpl; intros p. easy. intros [<- | I]. simpl. intuition.
  apply in_map_iff in I. destruct I as (q & <- & I). simpl. intros [-> | J]; auto. destruct (IH q I J); auto.
Qed.
Lemma product_picks {A} (l : list A) f p : In p (picks l) -> product_over l f = f (fst p) * product_over (snd p) f.
Proof.
  revert p. induction l as [ | x l IH]; simpl; intros p. easy. intros [<- | I]. reflexivity.
  apply in_map_iff in I. destruct I as (q & <- & I). simpl. rewrite (IH q I). ring.
Qed.
(** Picking one and then another is picking the other and then the one. *)
Lemma picks_swap {A} (l : list A) : forall g : A -> A -> list A -> R,
  sum_over (picks l) (fun p => sum_over (picks (snd p)) (fun q => g (fst p) (fst q) (snd q)))
    = sum_over (picks l) (fun p => sum_over (picks (snd p)) (fun q => g (fst q) (fst p) (snd q))).
Proof.
  induction l as [ | x l IH]; intros g; auto.
  assert (E : forall g : A * list A -> A * list A -> R,
    sum_over (picks l) (fun p => sum_over (picks (x :: snd p)) (g p)) = sum_over (picks l) (fun p => g p (x, snd p))
      + sum_over (picks l) (fun p => sum_over (picks (snd p)) (fun q => g p (fst q, x :: snd q)))).
  { intros g'. rewrite <- sum_plus. apply sum_ext. intros p _. simpl. now rewrite sum_map. }
  change (picks (x :: l)) with ((x, l) :: map (fun p => (fst p, x :: snd p)) (picks l)). cbn [sum_over].
  rewrite !sum_map. cbn [fst snd]. rewrite (E (fun p q => g (fst p) (fst q) (snd q))), (E (fun p q => g (fst q) (fst p)
    (snd q))).
  cbn [fst snd]. rewrite (IH (fun a b r => g a b (x :: r))). ring.
Qed.

(** ** The procedure *)

Section Flips.
  Context {O : Type} (a : O -> R).
  (** The mean of f at the candidate that is taken, at most n being looked at. *)
  Fixpoint flips n (l : list O) (f : O -> R) : R :=
    match n with
    | 0%nat => 0
    | S n => sum_over (picks l) (fun p => a (fst p) * f (fst p) + (1 - a (fst p)) * flips n (snd p) f) / INR (length l)
    end.
  (** $\int_0^1\prod_u(1-xa_u)\,dx$ *)
  Definition left_over (l : list O) x := product_over l (fun u => 1 - x * a u).
  Definition area l := RInt (left_over l) 0 1.

  Lemma left_over_derive l x : is_derive (left_over l) x (- sum_over (picks l) (fun p => a (fst p) * left_over (snd p)
    x)).
  Proof.
    unfold left_over. induction l as [ | u l IH]; simpl.
    - rewrite Ropp_0. apply (is_derive_const 1 x).
    - rewrite sum_map. simpl. rewrite (sum_ext _ _ (fun p => (1 - x * a u) * (a (fst p) * product_over (snd p) (fun u =>
      1 - x * a u))))
        by (intros; ring).
      rewrite sum_scal. match goal with |- is_derive _ _ (- (_ * ?w + _ * ?s)) =>
        replace (- (a u * w + (1 - x * a u) * s)) with (plus (mult (- a u) w) (mult (1 - x * a u) (- s)))
          by (unfold plus, mult; simpl; unfold mult; simpl; ring) end.
      apply (is_derive_mult (fun x => 1 - x * a u) (fun x => product_over l (fun u => 1 - x * a u))); auto.
      auto_derive; auto. ring. intros; apply Rmult_comm.
  Qed.
  Lemma left_over_zero l : left_over l 0 = 1.
  Proof. unfold left_over. induction l; simpl; auto. rewrite IHl. ring. Qed.
  Lemma left_over_one l o : In o l -> a o = 1 -> left_over l 1 = 0.
  Proof.
    unfold left_over. induction l as [ | b l IH]; simpl. easy. intros [-> | I] E. rewrite E. ring. rewrite IH by auto.
      ring.
  Qed.
  Lemma left_over_continuous l x : continuous (left_over l) x.
  Proof. apply (ex_derive_continuous (left_over l)). eexists. apply left_over_derive. Qed.
  Lemma area_is l : is_RInt (left_over l) 0 1 (area l).
  Proof.
    apply (RInt_correct (left_over l)). apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply
      left_over_continuous.
  Qed.
  Lemma sum_RInt {A} (m : list A) (g : A -> R -> R) (s : A -> R) : (forall i, is_RInt (g i) 0 1 (s i)) ->
    is_RInt (fun x => sum_over m (fun i => g i x)) 0 1 (sum_over m s).
  Proof.
    intros H. induction m as [ | i m IH]; simpl.
    - pose proof (is_RInt_const 0 1 (0 : R)) as K. unfold scal in K. simpl in K. unfold mult in K. simpl in K.
      now rewrite Rmult_0_r in K.
    - now apply (is_RInt_plus (g i) (fun x => sum_over m (fun i => g i x))).
  Qed.
  (** $(n+1)\int\prod=1+\sum_i(1-a_i)\int\prod_{u\ne i}$ for n candidates. *)
  Lemma areas l : INR (S (length l)) * area l = 1 + sum_over (picks l) (fun p => (1 - a (fst p)) * area (snd p)).
  Proof.
    pose (h x := INR (S (length l)) * left_over l x - sum_over (picks l) (fun p => (1 - a (fst p)) * left_over (snd p)
      x)).
    assert (I1 : is_RInt h 0 1 (INR (S (length l)) * area l - sum_over (picks l) (fun p => (1 - a (fst p)) * area (snd
      p)))).
    { apply (is_RInt_minus (fun x => INR (S (length l)) * left_over l x)).
      apply (is_RInt_scal (left_over l)), area_is.
      apply (sum_RInt (picks l) (fun p x => (1 - a (fst p)) * left_over (snd p) x)). intros p.
      apply (is_RInt_scal (left_over (snd p))), area_is. }
    assert (I2 : is_RInt h 0 1 (minus (- (1 - 1) * left_over l 1) (- (1 - 0) * left_over l 0))).
    { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - (1 - x) * left_over l x)).
      - intros x _. unfold h.
        replace (INR (S (length l)) * left_over l x - sum_over (picks l) (fun p => (1 - a (fst p)) * left_over (snd p)
          x))
          with (plus (mult 1 (left_over l x)) (mult (- (1 - x)) (- sum_over (picks l) (fun p => a (fst p) * left_over
            (snd p) x)))).
        apply (is_derive_mult (fun x => - (1 - x)) (left_over l)). auto_derive; auto. ring. apply left_over_derive.
        intros; apply Rmult_comm.
        assert (E : sum_over (picks l) (fun p => (1 - x) * (a (fst p) * left_over (snd p) x))
          = INR (length l) * left_over l x - sum_over (picks l) (fun p => (1 - a (fst p)) * left_over (snd p) x)).
        { rewrite (sum_ext _ _ (fun p => left_over l x - (1 - a (fst p)) * left_over (snd p) x)).
          rewrite sum_minus. f_equal. rewrite (sum_picks l (fun _ => left_over l x)).
          clear. generalize (left_over l x). intros c. induction l. simpl; ring. simpl length. rewrite S_INR. simpl.
            rewrite IHl. ring.
          intros p I. unfold left_over at 2. rewrite (product_picks l _ p I). fold (left_over (snd p) x). ring. }
        rewrite sum_scal in E. rewrite S_INR. unfold plus, mult; simpl; unfold mult; simpl. lra.
      - intros x _. unfold h. apply (ex_derive_continuous (fun x => INR (S (length l)) * left_over l x
          - sum_over (picks l) (fun p => (1 - a (fst p)) * left_over (snd p) x))).
        apply (ex_derive_minus (fun x => INR (S (length l)) * left_over l x)).
        apply (ex_derive_scal (left_over l)). eexists; apply left_over_derive.
        clear. induction (picks l) as [ | p m IH]; simpl. apply ex_derive_const.
        apply (ex_derive_plus (fun x => (1 - a (fst p)) * left_over (snd p) x)); auto.
        apply (ex_derive_scal (left_over (snd p))). eexists; apply left_over_derive. }
    pose proof (is_RInt_unique _ _ _ _ I1) as U1. pose proof (is_RInt_unique _ _ _ _ I2) as U2. rewrite U1 in U2.
    rewrite left_over_zero in U2. change (minus (- (1 - 1) * left_over l 1) (- (1 - 0) * 1)) with (- (1 - 1) * left_over
      l 1 - - (1 - 0) * 1) in U2. lra.
  Qed.
  (** $\mathbb Ef=\sum_rf(r)\,a_r\int_0^1\prod_{u\ne r}(1-xa_u)\,dx$ *)
  Theorem flips_law l f : flips (length l) l f = sum_over (picks l) (fun p => f (fst p) * (a (fst p) * area (snd p))).
  Proof.
    remember (length l) as n eqn:E. revert l E. induction n as [ | n IH]; intros l E.
    - destruct l; [reflexivity | easy].
    - simpl. rewrite <- E.
      rewrite (sum_ext (picks l) _ (fun p => a (fst p) * f (fst p)
        + sum_over (picks (snd p)) (fun q => (1 - a (fst p)) * (f (fst q) * (a (fst q) * area (snd q)))))).
      2: { intros p I. pose proof (picks_length l p I). rewrite (IH (snd p)) by lia. now rewrite sum_scal. }
      rewrite sum_plus, (picks_swap l (fun i r rest => (1 - a i) * (f r * (a r * area rest)))), <- sum_plus.
      rewrite (sum_ext (picks l) _ (fun p => INR (S n) * (f (fst p) * (a (fst p) * area (snd p))))).
      rewrite sum_scal. field. apply not_0_INR. easy.
      intros p I. pose proof (picks_length l p I) as K. assert (K' : S n = S (length (snd p))) by lia. rewrite K'.
      rewrite (sum_ext _ _ (fun q => (f (fst p) * a (fst p)) * ((1 - a (fst q)) * area (snd q)))) by (intros; ring).
      rewrite sum_scal.
      replace (INR (S (length (snd p))) * (f (fst p) * (a (fst p) * area (snd p))))
        with (f (fst p) * a (fst p) * (INR (S (length (snd p))) * area (snd p))) by ring.
      rewrite areas. ring.
  Qed.
End Flips.
(** Two candidates: $\frac12a_1+\frac12(1-a_2)a_1$, and the same exchanged. *)
Theorem permute_and_flip_two {O} (a : O -> R) x y f : flips a 2 (x :: y :: nil) f
  = f x * (/ 2 * a x + / 2 * (1 - a y) * a x) + f y * (/ 2 * a y + / 2 * (1 - a x) * a y).
Proof. simpl. field. Qed.
