(* Induction over the number of terms of a sum, sums over sequences, whole numbers one after the other. *)
From Dpref Require Export Analysis.
Open Scope R_scope.

Lemma sum_from_nil f m n : n = m - 1 -> sum_from f m n = 0.
Proof.
  intros ->. unfold sum_from. replace (m - 1 - m) with (IZR (-1)) by lra.
  assert (E : Int_part (IZR (-1)) = (-1)%Z).
  { unfold Int_part. replace (up (IZR (-1))) with (0)%Z. reflexivity. apply tech_up; lra. }
  now rewrite E.
Qed.
Lemma Int_part_IZR k : Int_part (IZR k) = k.
Proof. unfold Int_part. replace (up (IZR k)) with (k + 1)%Z. lia. apply tech_up; rewrite plus_IZR; lra. Qed.
Lemma sum_from_S f m k : (0 <= k)%Z -> sum_from f m (m + IZR k) = sum_from f m (m + IZR k - 1) + f (m + IZR k).
Proof.
  intros. unfold sum_from. replace (m + IZR k - m) with (IZR k) by lra.
  replace (m + IZR k - 1 - m) with (IZR (k - 1)) by (rewrite minus_IZR; lra).
  rewrite !Int_part_IZR. replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia. simpl.
  replace (Z.to_nat (k - 1 + 1)) with (Z.to_nat k) by lia. now rewrite INR_IZR_INZ, Z2Nat.id.
Qed.
Lemma sum_from_scal f g r m n : (forall t, isint (t - m) -> m <= t <= n -> f t = r * g t) -> sum_from f m n = r * sum_from g m n.
Proof.
  intros E. unfold sum_from. assert (B : IZR (Int_part (n - m)) <= n - m) by apply base_Int_part.
  destruct (Z_lt_le_dec (Int_part (n - m) + 1) 0) as [Hn | Hp].
  { replace (Z.to_nat _) with O by lia. simpl. ring. }
  assert (Hk : forall k, (k <= Z.to_nat (Int_part (n - m) + 1))%nat -> sum_of_first f m k = r * sum_of_first g m k).
  { induction k; intros Hk; simpl. ring. rewrite IHk by lia. rewrite E. ring.
    exists (Z.of_nat k). rewrite INR_IZR_INZ. lra.
    rewrite INR_IZR_INZ. assert (IZR (Z.of_nat k) <= IZR (Int_part (n - m))) by (apply IZR_le; lia).
    assert (0 <= IZR (Z.of_nat k)) by (apply IZR_le; lia). lra. }
  now apply Hk.
Qed.
Section Summation.
  Variables (a : R -> R -> R) (C r : R -> R) (m : R).
  Hypothesis mi : isint m.
  Hypothesis ratio : forall n t, isint n -> m <= n -> m <= t -> a t n = r n * a t (n - 1).
  Lemma sum_step n : isint n -> m <= n -> sum_from (fun t => a t n) m n = r n * sum_from (fun t => a t (n - 1)) m (n - 1) + a n n.
  Proof.
    intros I H. destruct mi as [m' Em]. destruct I as [n' En].
    assert (K : n = m + IZR (n' - m')) by (rewrite minus_IZR; lra).
    assert (0 <= n' - m')%Z by (apply le_IZR; lra).
    replace (sum_from (fun t => a t n) m n) with (sum_from (fun t => a t n) m (m + IZR (n' - m'))) by now rewrite <- K.
    rewrite sum_from_S by auto. rewrite <- K. f_equal. apply sum_from_scal. intros. apply ratio; auto. now exists n'. tauto.
  Qed.
  Lemma sum_ge : 0 <= C (m - 1) -> (forall n, isint n -> m <= n -> 0 <= C n - r n * C (n - 1) - a n n) ->
    (forall n, isint n -> m <= n -> 0 <= r n) -> forall n, isint n -> m - 1 <= n -> 0 <= C n - sum_from (fun t => a t n) m n.
  Proof.
    intros B S P n [k ->] H. destruct mi as [m' Em].
    assert (Hm : (m' - 1 <= k)%Z). { apply le_IZR. rewrite minus_IZR. lra. }
    clear H. pattern k. apply (Zlt_lower_bound_ind _ (m' - 1)); auto. clear k Hm. intros k IH Hk.
    destruct (Z.eq_dec k (m' - 1)) as [-> | N].
    { assert (E : IZR (m' - 1) = m - 1) by (rewrite minus_IZR; lra). rewrite E, sum_from_nil by auto. lra. }
    assert (m <= IZR k). { rewrite Em. apply IZR_le. lia. }
    rewrite sum_step by (auto; now exists k). specialize (IH (k - 1)%Z ltac:(lia)). rewrite minus_IZR in IH.
    specialize (S (IZR k) ltac:(now exists k) H). specialize (P (IZR k) ltac:(now exists k) H). nra.
  Qed.
  Lemma sum_eq : C (m - 1) = 0 -> (forall n, isint n -> m <= n -> C n - r n * C (n - 1) - a n n = 0) ->
    forall n, isint n -> m - 1 <= n -> C n - sum_from (fun t => a t n) m n = 0.
  Proof.
    intros B S n [k ->] H. destruct mi as [m' Em].
    assert (Hm : (m' - 1 <= k)%Z). { apply le_IZR. rewrite minus_IZR. lra. }
    clear H. pattern k. apply (Zlt_lower_bound_ind _ (m' - 1)); auto. clear k Hm. intros k IH Hk.
    destruct (Z.eq_dec k (m' - 1)) as [-> | N].
    { assert (E : IZR (m' - 1) = m - 1) by (rewrite minus_IZR; lra). rewrite E, sum_from_nil by auto. lra. }
    assert (m <= IZR k). { rewrite Em. apply IZR_le. lia. }
    rewrite sum_step by (auto; now exists k). specialize (IH (k - 1)%Z ltac:(lia)). rewrite minus_IZR in IH.
    specialize (S (IZR k) ltac:(now exists k) H).
    replace (sum_from (fun t => a t (IZR k - 1)) m (IZR k - 1)) with (C (IZR k - 1)) by lra. lra.
  Qed.
End Summation.
Lemma total_ge {T} (f : T -> R) l : (forall p, In p l -> 0 <= f p) -> 0 <= total f l.
Proof. induction l; simpl; intros. lra. pose proof (H a (or_introl eq_refl)). pose proof (IHl (fun p q => H p (or_intror q))). lra. Qed.
Lemma total_gt {T} (f : T -> R) l : l <> nil -> (forall p, In p l -> 0 < f p) -> 0 < total f l.
Proof.
  destruct l; intros. easy. simpl. pose proof (H0 t (or_introl eq_refl)).
  pose proof (total_ge f l (fun p q => Rlt_le _ _ (H0 p (or_intror q)))). lra.
Qed.
Lemma total_z {T} (f : T -> R) l : (forall p, In p l -> f p = 0) -> total f l = 0.
Proof. induction l; simpl; intros. lra. rewrite (H a), IHl; auto; lra. Qed.

Lemma total_cons {T} (f : T -> R) p l : total f (p :: l) = f p + total f l. Proof. reflexivity. Qed.
Lemma total_map {S T} (f : T -> R) (g : S -> T) l : total f (map g l) = total (fun p => f (g p)) l.
Proof. induction l; simpl; auto. now rewrite IHl. Qed.
Lemma total_same {T} (f g : T -> R) l : (forall p, In p l -> f p = g p) -> total f l = total g l.
Proof. induction l; simpl; intros E; auto. rewrite (E a), IHl; auto. Qed.
Lemma map_nonempty {S T} (g : S -> T) l : l <> nil -> map g l <> nil. Proof. now destruct l. Qed.

Lemma a_point {T} (l : list T) : l <> nil -> exists p, In p l.
Proof. destruct l as [ | p l]; intros H. easy. exists p. now left. Qed.

(* ---------- whole numbers ---------- *)
Lemma isint_IZR k : isint (IZR k). Proof. now exists k. Qed.
Lemma isint_plus x y : isint x -> isint y -> isint (x + y).
Proof. intros [a ->] [b ->]. exists (a + b)%Z. now rewrite plus_IZR. Qed.
Lemma isint_minus x y : isint x -> isint y -> isint (x - y).
Proof. intros [a ->] [b ->]. exists (a - b)%Z. now rewrite minus_IZR. Qed.
Lemma isint_mult x y : isint x -> isint y -> isint (x * y).
Proof. intros [a ->] [b ->]. exists (a * b)%Z. now rewrite mult_IZR. Qed.
Lemma next_integer k n : isint n -> IZR k <= n -> n = IZR k \/ IZR (k + 1) <= n.
Proof.
  intros [m ->] H. apply le_IZR in H. destruct (Z.eq_dec m k) as [-> | N]; auto. right. apply IZR_le. lia.
Qed.
Ltac isints := first [assumption | lazymatch goal with
  | |- isint (IZR _) => apply isint_IZR
  | |- isint (_ + _) => apply isint_plus; isints
  | |- isint (_ - _) => apply isint_minus; isints
  | |- isint (_ * _) => apply isint_mult; isints end].

(* ---------- the tactics of boxes and sequences ---------- *)
Ltac pairs := repeat match goal with q : (_ * _)%type |- _ => destruct q end; cbv beta iota zeta in *;
  repeat match goal with H : _ /\ _ |- _ => destruct H end.
Ltac taken_apart := repeat match goal with H : _ /\ _ |- _ => destruct H end.
Ltac forget_list := match goal with A : forall p, In p ?l -> _ |- _ => clear A end;
  match goal with A : ?l <> nil |- _ => clear A; clear l end.
Ltac box := lazymatch goal with
  | |- _ /\ _ => split; box
  | |- True => exact I
  | |- isint _ => isints
  | |- map _ _ <> nil => apply map_nonempty; box
  | |- _ <> nil => assumption
  | |- forall p, In p (map _ _) -> _ => let p := fresh in let q := fresh in let H := fresh in let I := fresh in
      intros p H; apply in_map_iff in H; destruct H as (q & <- & I);
      match goal with A : forall p, In p _ -> _ |- _ => specialize (A q I) end; pairs; box
  | |- forall p, In p _ -> _ => let p := fresh in let H := fresh in
      intros p H; match goal with A : forall p, In p _ -> _ |- _ => specialize (A p H) end; pairs; box
  | |- _ => first [assumption | lra | nra]
  end.
Ltac same_head := lazymatch goal with
  | |- total _ (map _ _) = total _ _ => rewrite total_map; same_head
  | |- total _ ?l = total _ ?l => apply total_same; let p := fresh in let H := fresh in
      intros p H; match goal with A : forall p, In p l -> _ |- _ => specialize (A p H) end; pairs; by_field
  | |- _ => reflexivity
  end.
Ltac general_totals := repeat match goal with |- context [total ?f ?l] =>
    let s := fresh "s" in generalize (total f l); intros s end.
Ltac in_box := cbv beta; repeat match goal with |- _ /\ _ => split; [first [assumption | lra | isints] | ] end.
Ltac known_part := first [assumption | lra | isints
  | let p := fresh in let H := fresh in intros p H; match goal with A : forall p, In p _ -> _ |- _ => specialize (A p H) end; pairs; side].
