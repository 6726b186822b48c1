(** * The best of a random number of runs

    A mechanism is run k times, independently, and only the best outcome is released, by a fixed order of the outcomes
    (a rank that no two of them share); nothing is released if there was no run.  The number of runs K is drawn from a
    law w on the whole numbers, which need not have finite support.

    Proved here, for a finite list of outcomes: the law of the best of K runs (Papernot and Steinke 2022, Lemma 7),
    $\Pr(\text{best}=o)=f(F(o))-f(F(o)-p(o))$ with the generating function f of K and F the chance that a run is at most
    as good; that it is a distribution; and what of f' bounds its ratios, its hockey-stick divergences and its moments,
    which is what private selection rests on (their Theorems 2 and 6 follow in Selection.v). *)
From Dpref Require Import Finite Interaction Approximate Convexity Renyi.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** A fixed number of runs *)

Section Runs.
  Context {O : Type} (rank : O -> nat) (l : list O).
  (** The outcomes of k runs, and their mass. *)
  Fixpoint runs k : list (list O) := match k with 0%nat => nil :: nil | S k => joined cons l (fun _ => runs k) end.
  Fixpoint runs_mass (p : O -> R) t := match t with [] => 1 | o :: t => p o * runs_mass p t end.
  Fixpoint best (t : list O) : option O :=
    match t with
    | [] => None
    | o :: t => match best t with Some b => if Nat.ltb (rank b) (rank o) then Some o else Some b | None => Some o end
    end.
  Definition is_best t (o : option O) : bool :=
    match best t, o with None, None => true | Some b, Some o => Nat.eqb (rank b) (rank o) | _, _ => false end.
  (** The probability that o is the best of k runs. *)
  Definition best_of_runs p k (o : option O) := sum_over (runs k) (fun t => if is_best t o then runs_mass p t else 0).
  (** The chance that one run is worse than rank n. *)
  Definition worse (p : O -> R) n := sum_over l (fun o => if Nat.ltb (rank o) n then p o else 0).

  Lemma all_worse p n k :
    sum_over (runs k) (fun t => if forallb (fun o => Nat.ltb (rank o) n) t then runs_mass p t else 0) = worse p n ^ k.
  Proof.
    induction k as [ | k IH]. simpl. ring. simpl runs. rewrite sum_joined.
    rewrite (sum_ext l _ (fun o => (if Nat.ltb (rank o) n then p o else 0) * worse p n ^ k)).
    rewrite sum_scal_r. reflexivity.
    intros o _. rewrite <- IH. cbn [forallb runs_mass]. destruct (Nat.ltb (rank o) n); cbn [andb].
    rewrite <- sum_scal. apply sum_ext. intros t _. destruct (forallb _ t); ring. rewrite sum_zero. ring.
  Qed.
  Lemma best_worse t n : forallb (fun o => Nat.ltb (rank o) n) t
    = match best t with None => true | Some b => Nat.ltb (rank b) n end.
  Proof.
    induction t as [ | o t IH]; auto. simpl. rewrite IH. destruct (best t) as [b | ].
    - destruct (Nat.ltb_spec (rank b) (rank o)); destruct (Nat.ltb_spec (rank o) n), (Nat.ltb_spec (rank b) n); auto;
      lia.
    - now rewrite Bool.andb_true_r.
  Qed.
  Theorem best_of_runs_law p k o : best_of_runs p k (Some o) = worse p (S (rank o)) ^ k - worse p (rank o) ^ k.
  Proof.
    rewrite <- !all_worse, <- sum_minus. apply sum_ext. intros t _. rewrite !best_worse. unfold is_best.
    destruct (best t) as [b | ]. 2: ring.
    destruct (Nat.eqb_spec (rank b) (rank o)), (Nat.ltb_spec (rank b) (S (rank o))), (Nat.ltb_spec (rank b) (rank o));
      try lia; ring.
  Qed.
  Theorem no_run p k : best_of_runs p k None = 0 ^ k.
  Proof.
    destruct k as [ | k]. unfold best_of_runs. simpl. ring. rewrite pow_i by lia. unfold best_of_runs. simpl runs.
    rewrite sum_joined. transitivity (sum_over l (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros o _.
    transitivity (sum_over (runs k) (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros t _. unfold is_best.
    cbn [best]. destruct (best t) as [b | ]; auto. now destruct (Nat.ltb (rank b) (rank o)).
  Qed.
  Lemma best_in t b : best t = Some b -> In b t.
  Proof.
    revert b. induction t as [ | o t IH]; cbn [best In]; intros b. easy. destruct (best t) as [c | ].
    destruct (Nat.ltb (rank c) (rank o)); intros [= <-]; auto. intros [= <-]; auto.
  Qed.
  Lemma runs_in k t o : In t (runs k) -> In o t -> In o l.
  Proof.
    revert t. induction k as [ | k IH]; intros t; simpl. intros [<- | []] [].
    intros I J. apply in_joined in I. destruct I as (a & u & I & K & ->). destruct J as [<- | J]; eauto.
  Qed.
  Lemma runs_total p k : sum_over l p = 1 -> sum_over (runs k) (runs_mass p) = 1.
  Proof.
    intros S. induction k as [ | k IH]; simpl. ring. rewrite sum_joined. simpl. rewrite <- S. apply sum_ext.
    intros o _. rewrite sum_scal, IH. ring.
  Qed.
  Lemma runs_mass_nonneg p t : (forall o, 0 <= p o) -> 0 <= runs_mass p t.
  Proof. intros P. induction t; simpl. lra. now apply Rmult_le_pos. Qed.

  Hypothesis ranked : NoDup (map rank l).
  Lemma one_of_rank p o : In o l -> sum_over l (fun b => if Nat.eqb (rank b) (rank o) then p b else 0) = p o.
  Proof.
    revert ranked. induction l as [ | a m IH]; simpl. easy. intros N I. inversion N as [ | ? ? A N']; subst.
    destruct I as [<- | I].
    - rewrite Nat.eqb_refl. rewrite (sum_ext m _ (fun _ => 0)). rewrite sum_zero. ring. intros b J.
      destruct (Nat.eqb_spec (rank b) (rank a)) as [E | ]; auto. exfalso. apply A. rewrite <- E. now apply in_map.
    - rewrite IH by auto. destruct (Nat.eqb_spec (rank a) (rank o)) as [E | ]. 2: ring.
      exfalso. apply A. rewrite E. now apply in_map.
  Qed.
  Lemma worse_step p o : In o l -> worse p (S (rank o)) = worse p (rank o) + p o.
  Proof.
    intros I. rewrite <- (one_of_rank p o I). unfold worse. rewrite <- sum_plus. apply sum_ext. intros b _.
    destruct (Nat.ltb_spec (rank b) (S (rank o))), (Nat.ltb_spec (rank b) (rank o)), (Nat.eqb_spec (rank b) (rank o));
      try lia; ring.
  Qed.
  Lemma best_total h k :
    sum_over (None :: map Some l) (fun o => sum_over (runs k) (fun t => if is_best t o then h t else 0))
      = sum_over (runs k) h.
  Proof.
    rewrite sum_swap. apply sum_ext. intros t I. simpl. rewrite sum_map. unfold is_best.
    destruct (best t) as [b | ] eqn:B.
    - assert (In b l) by (eapply runs_in; eauto using best_in).
      rewrite (sum_ext l _ (fun o => if Nat.eqb (rank o) (rank b) then (fun _ => h t) o else 0)).
      rewrite (one_of_rank (fun _ => h t) b) by auto. ring. intros o _. now rewrite Nat.eqb_sym.
    - rewrite sum_zero. ring.
  Qed.
  Lemma best_of_runs_total p k : sum_over l p = 1 -> sum_over (None :: map Some l) (best_of_runs p k) = 1.
  Proof. intros S. rewrite <- (runs_total p k S). apply best_total. Qed.
End Runs.

(** ** A random number of runs *)

(** A law of the number of runs, and its generating function on [0, 1]. *)
Definition number_of_runs (w : nat -> R) := (forall k, 0 <= w k) /\ is_series w 1.
Definition generates (w : nat -> R) (f : R -> R) := forall z, 0 <= z <= 1 -> is_series (fun k => w k * z ^ k) (f z).
(** $\Pr(\text{best}=o)=\sum_kw_k\Pr(\text{best of k runs}=o)$ *)
Definition best_of {O} (rank : O -> nat) (w : nat -> R) (l : list O) p (o : option O) : R :=
  Series (fun k => w k * best_of_runs rank l p k o).

Lemma series_list {A} (l : list A) (g : A -> nat -> R) (s : A -> R) : (forall a, In a l -> is_series (g a) (s a)) ->
  is_series (fun k => sum_over l (fun a => g a k)) (sum_over l s).
Proof.
  induction l as [ | a l IH]; simpl; intros H.
  - change (is_lim_seq (sum_n (fun _ : nat => 0)) 0). apply is_lim_seq_ext with (fun _ => 0). 2: apply is_lim_seq_const.
    intros n. rewrite sum_n_const. ring.
  - apply (is_series_plus (g a) (fun k => sum_over l (fun a => g a k)) (s a) (sum_over l s)); auto.
Qed.

Section Random.
  Context {O : Type} (rank : O -> nat) (l : list O) (w : nat -> R) (f : R -> R).
  Hypothesis ranked : NoDup (map rank l).
  Hypothesis W : number_of_runs w.
  Hypothesis G : generates w f.

  Lemma worse_bounds p n : distribution l p -> 0 <= worse rank l p n <= 1.
  Proof.
    intros [P S]. split. apply sum_nonneg. intros o _. destruct (Nat.ltb _ _); [apply P | lra].
    rewrite <- S. apply sum_le. intros o _. destruct (Nat.ltb _ _). lra. apply P.
  Qed.
  Lemma best_of_series p o : distribution l p -> is_series (fun k => w k * best_of_runs rank l p k (Some o))
    (f (worse rank l p (S (rank o))) - f (worse rank l p (rank o))).
  Proof.
    intros P. apply (is_series_ext (fun k => w k * worse rank l p (S (rank o)) ^ k - w k * worse rank l p (rank o) ^
      k)).
    intros k. rewrite best_of_runs_law. simpl. ring.
    apply (is_series_minus (fun k => w k * worse rank l p (S (rank o)) ^ k)); apply G; now apply worse_bounds.
  Qed.
  Lemma best_law p o : distribution l p -> In o l ->
    best_of rank w l p (Some o) = f (worse rank l p (rank o) + p o) - f (worse rank l p (rank o)).
  Proof.
    intros P I. rewrite <- worse_step by auto. apply is_series_unique. now apply best_of_series.
  Qed.
  Lemma series_at_zero : is_series (fun k => w k * 0 ^ k) (w 0%nat).
  Proof.
    pose proof (proj1 (is_pseries_R w 0 (w 0%nat)) (is_pseries_0 w)) as H. revert H. apply is_series_ext. auto.
  Qed.
  Theorem best_of_none p : best_of rank w l p None = w 0%nat.
  Proof.
    apply is_series_unique. apply (is_series_ext (fun k => w k * 0 ^ k)). intros k. now rewrite no_run.
    apply series_at_zero.
  Qed.
  Theorem best_of_distribution p : distribution l p -> distribution (None :: map Some l) (best_of rank w l p).
  Proof.
    intros P. assert (N : forall k o, 0 <= best_of_runs rank l p k o).
    { intros k o. apply sum_nonneg. intros t _. destruct (is_best _ _ _). apply runs_mass_nonneg, P. lra. }
    assert (X : forall o, ex_series (fun k => w k * best_of_runs rank l p k o)).
    { intros [o | ]. eexists. now apply best_of_series. exists (w 0%nat).
      apply (is_series_ext (fun k => w k * 0 ^ k)). intros k. now rewrite no_run. apply series_at_zero. }
    split.
    - intros o. unfold best_of. apply Rle_trans with (Series (fun _ : nat => 0)).
      right. symmetry. apply is_series_unique. exact (series_list (@nil unit) (fun _ _ => 0) (fun _ => 0) (fun _ h =>
        match h with end)).
      apply Series_le; auto.
      intros k. split. lra. apply Rmult_le_pos; auto. apply W.
    - pose proof (series_list (None :: map Some l) (fun o k => w k * best_of_runs rank l p k o) (best_of rank w l p)
        (fun o _ => Series_correct _ (X o))) as H.
      apply is_series_unique in H. rewrite <- H. apply is_series_unique. destruct W as [_ W1]. revert W1.
      apply is_series_ext. intros k. rewrite sum_scal, best_of_runs_total; auto. symmetry. apply Rmult_1_r. apply P.
  Qed.
End Random.
(** Lemma 7: $\Pr(\text{best}=o)=f(F(o))-f(F(o)-p(o))$, F the chance that a run is at most as good. *)
Theorem best_of_law {O} (rank : O -> nat) (l : list O) w f : NoDup (map rank l) -> generates w f ->
  forall p o, distribution l p -> In o l ->
  best_of rank w l p (Some o) = f (worse rank l p (rank o) + p o) - f (worse rank l p (rank o)).
Proof. apply best_law. Qed.
