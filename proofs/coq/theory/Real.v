(* Shared definitions, lemmas and tactics of translated certificates. *)
From Coq Require Export Reals Psatz List ZArith Lia Lra Nsatz.
From Coquelicot Require Export Coquelicot.
From Interval Require Export Tactic.
Export ListNotations.
Open Scope R_scope.

(* ---------- heads ---------- *)
Definition isint (x : R) : Prop := exists k : Z, x = IZR k.
Definition erfc (x : R) : R := 1 - 2 / sqrt PI * RInt (fun t => exp (- (t * t))) 0 x.
Definition near_above (P : R -> Prop) (c : R) : Prop := exists d, 0 < d /\ forall x, c < x < c + d -> P x.
Definition near_below (P : R -> Prop) (c : R) : Prop := exists d, 0 < d /\ forall x, c - d < x < c -> P x.
(* a(m) + ... + a(n) *)
Fixpoint nsum (f : R -> R) (m : R) (k : nat) : R :=
  match k with O => 0 | S k => nsum f m k + f (m + INR k) end.
Definition sum_from (f : R -> R) (m n : R) : R := nsum f m (Z.to_nat (Int_part (n - m) + 1)).
(* a sum over a finite sequence of points *)
Definition total {T : Type} (f : T -> R) (l : list T) : R := fold_right (fun p s => f p + s) 0 l.
(* one-sided limits as values; the claims about them also say that they exist *)
Definition limit_above (f : R -> R) (c : R) : R := real (Lim (fun h => f (c + Rabs h)) 0).
Definition limit_below (f : R -> R) (c : R) : R := real (Lim (fun h => f (c - Rabs h)) 0).

(* ---------- small lemmas ---------- *)
Lemma ge_eq a b : 0 <= a -> b = a -> 0 <= b. Proof. intros; subst; auto. Qed.
Lemma gt_eq a b : 0 < a -> b = a -> 0 < b. Proof. intros; subst; auto. Qed.
Lemma z_eq a b : a = 0 -> b = a -> b = 0. Proof. intros; subst; auto. Qed.
Lemma sqrt_eq a b : 0 <= b -> b * b = a -> sqrt a = b.
Proof. intros H E. rewrite <- E. apply sqrt_square; auto. Qed.
Lemma even_pow x n : Nat.even n = true -> 0 <= x ^ n.
Proof. intros H. apply Nat.even_spec in H. destruct H as [k ->]. rewrite pow_mult. apply pow_le, pow2_ge_0. Qed.
Lemma ln_gt0 x : 1 < x -> 0 < ln x.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma exp_gt1 x : 0 < x -> 0 < exp x - 1.
Proof. intros. pose proof (exp_ineq1 x). lra. Qed.
Lemma exp_lt1 x : x < 0 -> 0 < 1 - exp x.
Proof. intros. pose proof (exp_increasing x 0). rewrite exp_0 in H0. lra. Qed.
Lemma mulnn a b : a < 0 -> b < 0 -> 0 < a * b. Proof. intros; nra. Qed.
Lemma exp_Rpow x n : exp x ^ n = exp (INR n * x).
Proof. rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. now rewrite ln_exp. Qed.
Lemma ln_pow' x n : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof. intros. rewrite <- Rpower_pow by auto. unfold Rpower. apply ln_exp. Qed.
Lemma ln_sqrt' x : 0 < x -> ln (sqrt x) = / 2 * ln x.
Proof. intros. rewrite <- Rpower_sqrt by auto. unfold Rpower. apply ln_exp. Qed.

(* ---------- positivity by structure ---------- *)
Lemma exp_ge1' x : 0 <= x -> 0 <= exp x - 1.
Proof. intros [h | <-]. pose proof (exp_gt1 x h). lra. rewrite exp_0. lra. Qed.
Lemma ln_ge0' x : 1 <= x -> 0 <= ln x.
Proof. intros [h | <-]. left; now apply ln_gt0. rewrite ln_1. lra. Qed.
Ltac pos :=
  first [ assumption | lra |
  lazymatch goal with
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < PI => apply PI_RGT_0
  | |- 0 < sqrt _ => apply sqrt_lt_R0; pos
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 < exp _ - 1 => apply exp_gt1; pos
  | |- 0 <= exp _ - 1 => apply exp_ge1'; pos
  | |- 0 <= ln _ => apply ln_ge0'; lra
  | |- 0 < Rpower _ _ => apply exp_pos
  | |- 0 < ln _ => apply ln_gt0; lra
  | |- 0 < _ ^ _ => apply pow_lt; pos
  | |- 0 <= _ ^ _ => first [apply even_pow; reflexivity | apply pow_le; pos]
  | |- 0 < / _ => apply Rinv_0_lt_compat; pos
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; pos
  | |- 0 <= _ / _ => apply Rmult_le_pos; [pos | left; apply Rinv_0_lt_compat; pos]
  | |- 0 < _ * _ => first [apply Rmult_lt_0_compat; pos | apply mulnn; lra]
  | |- 0 <= ?a * ?a => apply Rle_0_sqr
  | |- 0 <= _ * _ => apply Rmult_le_pos; pos
  | |- 0 < _ + _ => first [apply Rplus_lt_le_0_compat; [pos | pos] | apply Rplus_le_lt_0_compat; [pos | pos]]
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; pos
  | |- 0 <= ?x => left; pos
  end ].
Ltac expb := repeat match goal with |- context [exp ?x] =>
    lazymatch goal with H : context [exp x] |- _ => fail | _ => idtac end;
    first [ (assert (x < 0) by lra; pose proof (exp_lt1 x ltac:(assumption)); pose proof (exp_pos x))
          | (assert (0 < x) by lra; pose proof (exp_gt1 x ltac:(assumption)))
          | pose proof (exp_pos x) ] end; first [lra | nra].
Ltac pos' := first [pos | nra | expb].
Ltac nz := first [assumption | apply Rgt_not_eq; unfold Rgt; pos | apply Rlt_not_eq; lra
                 | apply Rgt_not_eq; unfold Rgt; nra | apply Rlt_not_eq; nra].
Ltac nzs := repeat split; first [exact I | nz].
Ltac modsq := match goal with
  | H1 : _ * _ = _, H2 : _ * _ = _, H3 : _ * _ = _ |- _ => ring [H1 H2 H3]
  | H1 : _ * _ = _, H2 : _ * _ = _ |- _ => ring [H1 H2]
  | H1 : _ * _ = _ |- _ => ring [H1] end.
Ltac modf := first [ reflexivity | solve [ring] | lra | solve [field; nzs] | solve [modsq] | solve [field_simplify_eq; [modsq | nzs]]
  | solve [apply Rminus_diag_uniq; field_simplify_eq; [modsq | nzs]] ].
Ltac iv := first [interval with (i_prec 60) | interval with (i_prec 200)].

(* ---------- analysis ---------- *)
Lemma mvt_open f df a b : a < b -> (forall c, a < c < b -> is_derive f c (df c)) ->
  (forall c, a <= c <= b -> continuity_pt f c) -> exists c, a < c < b /\ f b - f a = df c * (b - a).
Proof.
  intros ab D C.
  assert (pr1 : forall c, a < c < b -> derivable_pt f c).
  { intros c H. exists (df c). apply is_derive_Reals. auto. }
  assert (pr2 : forall c, a < c < b -> derivable_pt id c) by (intros; apply derivable_pt_id).
  destruct (MVT f id a b pr1 pr2 ab C) as (c & P & E).
  { intros. apply derivable_continuous_pt, derivable_pt_id. }
  exists c. split; auto.
  assert (E1 : derive_pt f c (pr1 c P) = df c).
  { apply derive_pt_eq_0. apply is_derive_Reals. auto. }
  assert (E2 : derive_pt id c (pr2 c P) = 1).
  { apply derive_pt_eq_0. apply derivable_pt_lim_id. }
  rewrite E1, E2 in E. unfold id in E. lra.
Qed.
Section Mono.
  Variables (f df : R -> R) (a x : R).
  Let i c := Rmin a x < c < Rmax a x.
  Lemma mono_up_ge : a <= x -> (forall c, a < c < x -> is_derive f c (df c)) ->
    (forall c, a <= c <= x -> continuity_pt f c) -> (forall c, a < c < x -> 0 <= df c) -> 0 <= f a -> 0 <= f x.
  Proof.
    intros ax D C G S. destruct (Req_dec a x) as [<- | N]; auto.
    destruct (mvt_open f df a x ltac:(lra) D C) as (c & P & E). specialize (G c P). nra.
  Qed.
  Lemma mono_up_gt : a < x -> (forall c, a < c < x -> is_derive f c (df c)) ->
    (forall c, a <= c <= x -> continuity_pt f c) -> (forall c, a < c < x -> 0 < df c) -> 0 <= f a -> 0 < f x.
  Proof.
    intros ax D C G S. destruct (mvt_open f df a x ltac:(lra) D C) as (c & P & E). specialize (G c P). nra.
  Qed.
  Lemma mono_up_gs : a <= x -> (forall c, a < c < x -> is_derive f c (df c)) ->
    (forall c, a <= c <= x -> continuity_pt f c) -> (forall c, a < c < x -> 0 <= df c) -> 0 < f a -> 0 < f x.
  Proof.
    intros ax D C G S. destruct (Req_dec a x) as [<- | N]; auto.
    destruct (mvt_open f df a x ltac:(lra) D C) as (c & P & E). specialize (G c P). nra.
  Qed.
  Lemma mono_dn_ge : x <= a -> (forall c, x < c < a -> is_derive f c (df c)) ->
    (forall c, x <= c <= a -> continuity_pt f c) -> (forall c, x < c < a -> 0 <= - df c) -> 0 <= f a -> 0 <= f x.
  Proof.
    intros ax D C G S. destruct (Req_dec a x) as [<- | N]; auto.
    destruct (mvt_open f df x a ltac:(lra) D C) as (c & P & E). specialize (G c P). nra.
  Qed.
  Lemma mono_dn_gt : x < a -> (forall c, x < c < a -> is_derive f c (df c)) ->
    (forall c, x <= c <= a -> continuity_pt f c) -> (forall c, x < c < a -> 0 < - df c) -> 0 <= f a -> 0 < f x.
  Proof.
    intros ax D C G S. destruct (mvt_open f df x a ltac:(lra) D C) as (c & P & E). specialize (G c P). nra.
  Qed.
  Lemma mono_dn_gs : x <= a -> (forall c, x < c < a -> is_derive f c (df c)) ->
    (forall c, x <= c <= a -> continuity_pt f c) -> (forall c, x < c < a -> 0 <= - df c) -> 0 < f a -> 0 < f x.
  Proof.
    intros ax D C G S. destruct (Req_dec a x) as [<- | N]; auto.
    destruct (mvt_open f df x a ltac:(lra) D C) as (c & P & E). specialize (G c P). nra.
  Qed.
End Mono.
Lemma ex_cont f x : ex_derive f x -> continuity_pt f x.
Proof. intros H. apply continuity_pt_filterlim. apply (ex_derive_continuous f x H). Qed.

(* sandwich, for limits from above of a total function *)
Lemma limit_above_squeeze f lo up c h0 v : 0 < h0 ->
  (forall x, c < x < c + h0 -> 0 <= f x - lo x) -> (forall x, c < x < c + h0 -> 0 <= up x - f x) ->
  continuity_pt lo c -> continuity_pt up c -> lo c = v -> up c = v -> limit_above f c = v.
Proof.
  intros h0p L U CL CU EL EU. unfold limit_above.
  enough (is_lim (fun h => f (c + Rabs h)) 0 v) as H by now rewrite (is_lim_unique _ _ _ H).
  assert (A : continuity_pt (fun h => c + Rabs h) 0).
  { apply continuity_pt_plus. apply continuity_pt_const; now intros ? ?. apply Rcontinuity_abs. }
  assert (K : forall g, continuity_pt g c -> is_lim (fun h => g (c + Rabs h)) 0 (g c)).
  { intros g Cg. evar_last. apply is_lim_continuity.
    apply (continuity_pt_comp (fun h => c + Rabs h) g); auto. rewrite Rabs_R0, Rplus_0_r. auto.
    simpl. now rewrite Rabs_R0, Rplus_0_r. }
  apply (is_lim_le_le_loc (fun h => lo (c + Rabs h)) (fun h => up (c + Rabs h))).
  2: rewrite <- EL; now apply K. 2: rewrite <- EU; now apply K.
  exists (mkposreal h0 h0p). intros y Hy Ny. change (Rabs (y + - 0) < h0) in Hy.
  assert (0 < Rabs y < h0).
  { split. now apply Rabs_pos_lt. rewrite Ropp_0, Rplus_0_r in Hy. auto. }
  specialize (L (c + Rabs y)). specialize (U (c + Rabs y)). lra.
Qed.

(* ---------- induction ---------- *)
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
  assert (Hk : forall k, (k <= Z.to_nat (Int_part (n - m) + 1))%nat -> nsum f m k = r * nsum g m k).
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

(* ---------- tactics of the translator ---------- *)
Ltac box := repeat match goal with |- _ /\ _ => split end; first [assumption | lra | exact I | (eexists; eassumption) | isintt | nra]
with isintt := match goal with
  | H : isint ?x |- isint (?x - 1) => let z := fresh in destruct H as [z ->]; exists (z - 1)%Z; rewrite minus_IZR; lra
  | H : isint ?x |- isint (?x + 1) => let z := fresh in destruct H as [z ->]; exists (z + 1)%Z; rewrite plus_IZR; lra
  | H : isint ?x |- isint (1 + ?x) => let z := fresh in destruct H as [z ->]; exists (z + 1)%Z; rewrite plus_IZR; lra
  | |- isint (IZR ?k) => exists k; reflexivity
  end.
Ltac isints := first [assumption | isintt | (eexists; lra)].
Ltac box' := box.
(* make every root a variable whose square is known *)
Ltac elim_one H w f := match goal with v : R |- _ =>
    lazymatch f with context [v * v] => fail | context [v] => idtac end;
    let g := eval pattern v in f in
    lazymatch g with ?h v =>
      let r := eval cbv beta in (h 0) in
      let e := fresh "e" in
      first [assert (e : v = w * w - r) by lra | assert (e : v = r - w * w) by lra]; clear H; subst v end end.
Ltac sqroot x :=
    let p := fresh "p" in let H := fresh "Hs" in let w := fresh "w" in let E := fresh "E" in
    first [ (assert (p : 0 < x) by pos'; pose proof (sqrt_sqrt x (Rlt_le _ _ p)) as H; pose proof (sqrt_lt_R0 x p))
          | (assert (p : 0 <= x) by pos'; pose proof (sqrt_sqrt x p) as H; pose proof (sqrt_pos x)) ];
    set (w := sqrt x) in *; clearbody w;
    first [is_var x; subst x | elim_one H w x | idtac].
Ltac roots :=
  repeat match goal with |- context [sqrt ?x] => is_var x; sqroot x end;
  repeat match goal with
  | |- context [sqrt ?x] => lazymatch x with context [sqrt _] => fail | _ => idtac end; sqroot x
  end.
Ltac logs := repeat (first [rewrite ln_mult by pos' | rewrite ln_Rinv by pos' | rewrite ln_pow' by pos' | rewrite ln_sqrt' by pos'
   | rewrite ln_exp | rewrite ln_1]); simpl INR.
Lemma sqrt_exp x : sqrt (exp x) = exp (/ 2 * x).
Proof. apply sqrt_eq. left; apply exp_pos. rewrite <- exp_plus. f_equal. field. Qed.
Lemma exp_ge1 x : 0 <= x -> 0 <= exp x - 1.
Proof. intros [h | <-]. left. now apply exp_gt1. rewrite exp_0. lra. Qed.
Lemma ln_ge0 x : 1 <= x -> 0 <= ln x.
Proof. intros [h | <-]. left; now apply ln_gt0. rewrite ln_1. lra. Qed.
Global Instance UnaryDiff_erfc : UnaryDiff erfc.
Proof.
  exists (fun x => - (2 / sqrt PI * exp (- (x * x)))). intros x. unfold erfc.
  assert (C : forall y, continuous (fun t => exp (- (t * t))) y).
  { intros y. apply (ex_derive_continuous (fun t => exp (- (t * t)))). auto_derive. auto. }
  assert (D : is_derive (fun x => RInt (fun t => exp (- (t * t))) 0 x) x (exp (- (x * x)))).
  { apply (is_derive_RInt (fun t => exp (- (t * t))) _ 0). exists (mkposreal 1 Rlt_0_1). intros y _.
    apply (RInt_correct (V := R_CompleteNormedModule)), (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply C. apply C. }
  evar_last.
  apply (is_derive_minus (fun _ : R => 1) (fun x => 2 / sqrt PI * RInt (fun t => exp (- (t * t))) 0 x)).
  apply (is_derive_const (1 : R)). apply is_derive_scal. apply D.
  unfold minus, plus, opp, zero; simpl. ring.
Defined.
Ltac exps t := rewrite ?ln_exp; repeat first [rewrite exp_Rpow | rewrite sqrt_exp | rewrite <- exp_Ropp | rewrite <- exp_plus]; f_equal; simpl INR; t.
Ltac side := repeat split; first [exact I | nz | pos'].
Ltac cont := first [ solve [apply ex_cont; auto_derive; side]
  | repeat first [ apply continuity_pt_plus | apply continuity_pt_minus | apply continuity_pt_mult | apply continuity_pt_opp
     | apply (continuity_pt_comp _ sqrt); [|apply continuity_pt_sqrt; pos'] | (apply ex_cont; auto_derive; repeat split; first [nz | pos' | exact I]) ] ].
Ltac fold_total := repeat match goal with |- context [fold_right (fun p s => @?f p + s) 0 ?l] => change (fold_right (fun p s => f p + s) 0 l) with (total f l) end.
Ltac name_list := match goal with H : _ <> nil |- _ => rename H into H_ne end;
  match goal with H : forall p, In p _ -> _ |- _ => rename H into H_all end.
Lemma total_cons {T} (f : T -> R) p l : total f (p :: l) = f p + total f l. Proof. reflexivity. Qed.
Ltac derive_is d D := match goal with |- context [Derive ?f ?x] => replace (Derive f x) with d by (symmetry; apply is_derive_unique; exact D) end.
Ltac gen_totals := repeat match goal with |- context [total ?f ?l] => let s := fresh "s" in generalize (total f l); intros s end;
  repeat match goal with H : _ /\ _ |- _ => destruct H end.
Ltac consts := repeat first
  [ match goal with |- context [ln ?a] => replace (ln a) with 0 by (replace a with 1 by lra; symmetry; apply ln_1) end
  | match goal with |- context [exp ?a] => lazymatch a with 0 => idtac | _ => replace (exp a) with 1 by (replace a with 0 by lra; symmetry; apply exp_0) end end
  | match goal with |- context [sqrt ?a] => replace (sqrt a) with 0 by (replace a with 0 by lra; symmetry; apply sqrt_0) end
  | match goal with |- context [sqrt ?a] => replace (sqrt a) with 1 by (replace a with 1 by lra; symmetry; apply sqrt_1) end ];
  rewrite ?exp_0.
Ltac erfcs := unfold erfc; repeat match goal with |- context [RInt ?f ?a ?b] =>
    let H := fresh in let r := fresh in
    integral_intro (RInt f a b) with (i_relwidth 30, i_prec 60) as H; set (r := RInt f a b) in *; clearbody r end;
  interval with (i_prec 80).
