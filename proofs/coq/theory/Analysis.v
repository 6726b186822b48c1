(* Monotone functions, convex minima, limits at an open end, continuity up to a closed end, and derivatives of erfc
   and tanh for `auto_derive`. *)
From Dpref Require Export Elementary.
Open Scope R_scope.

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

(* ---------- limits from one side ---------- *)
Lemma limit_above_is f c (v : R) : is_lim (fun h => f (c + Rabs h)) 0 v -> limit_above f c = v.
Proof. intros H. unfold limit_above. now rewrite (is_lim_unique _ _ _ H). Qed.
Lemma limit_above_exists f c (v : R) : is_lim (fun h => f (c + Rabs h)) 0 v -> has_limit_above f c.
Proof. intros H. now exists v. Qed.
Lemma has_limit_squeeze f lo up c h0 (v : R) : 0 < h0 ->
  (forall x, c < x < c + h0 -> 0 <= f x - lo x) -> (forall x, c < x < c + h0 -> 0 <= up x - f x) ->
  continuity_pt lo c -> continuity_pt up c -> lo c = v -> up c = v -> is_lim (fun h => f (c + Rabs h)) 0 v.
Proof.
  intros h0p L U CL CU EL EU.
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


(* ---------- convex minima ---------- *)
Lemma mean_value f df a b : (forall c, Rmin a b <= c <= Rmax a b -> is_derive f c (df c)) ->
  exists c, Rmin a b <= c <= Rmax a b /\ f b - f a = df c * (b - a).
Proof. intros D. destruct (MVT_gen f a b df) as (c & C & E); eauto. intros; apply D; lra. intros; apply ex_cont. exists (df x). apply D; lra. Qed.
Lemma minimum_at f df ddf a x : (forall c, Rmin a x <= c <= Rmax a x -> is_derive f c (df c)) ->
  (forall c, Rmin a x <= c <= Rmax a x -> is_derive df c (ddf c)) ->
  (forall c, Rmin a x <= c <= Rmax a x -> 0 <= ddf c) -> df a = 0 -> 0 <= f x - f a.
Proof.
  intros D D2 G Z. destruct (mean_value f df a x D) as (c & C & E). rewrite E.
  destruct (mean_value df ddf a c) as (d & Cd & E2).
  { intros t Ht. apply D2. unfold Rmin, Rmax in *. destruct (Rle_dec a x), (Rle_dec a c); lra. }
  rewrite Z, Rminus_0_r in E2. rewrite E2.
  assert (0 <= ddf d). { apply G. unfold Rmin, Rmax in *. destruct (Rle_dec a x), (Rle_dec a c); lra. }
  unfold Rmin, Rmax in *. destruct (Rle_dec a x), (Rle_dec a c); try lra; rewrite Rmult_assoc; apply Rmult_le_pos; nra.
Qed.

Lemma within_hull a b c : Rmin a b <= c <= Rmax a b -> a <= c <= b \/ b <= c <= a.
Proof. unfold Rmin, Rmax. destruct (Rle_dec a b); lra. Qed.

(* ---------- continuity, from the outside in ---------- *)
Lemma cont_const (c x : R) : continuity_pt (fun _ => c) x. Proof. now apply continuity_pt_const; intros ? ?. Qed.
Lemma cont_id x : continuity_pt (fun y => y) x. Proof. apply continuity_pt_id. Qed.
Lemma cont_after (h f : R -> R) x : continuity_pt f x -> continuity_pt h (f x) -> continuity_pt (fun y => h (f y)) x.
Proof. apply (continuity_pt_comp f h). Qed.
Lemma cont_pow f n x : continuity_pt f x -> continuity_pt (fun y => f y ^ n) x.
Proof. intros. apply (cont_after (fun z => z ^ n)); auto. apply ex_cont. auto_derive. auto. Qed.
Lemma cont_inv f x : continuity_pt f x -> f x <> 0 -> continuity_pt (fun y => / f y) x.
Proof. intros. apply (cont_after Rinv); auto. apply ex_cont. auto_derive. auto. Qed.
Lemma cont_exp f x : continuity_pt f x -> continuity_pt (fun y => exp (f y)) x.
Proof. intros. apply (cont_after exp); auto. apply ex_cont. auto_derive. auto. Qed.
Lemma cont_ln f x : continuity_pt f x -> 0 < f x -> continuity_pt (fun y => ln (f y)) x.
Proof. intros. apply (cont_after ln); auto. apply ex_cont. auto_derive. auto. Qed.
Lemma cont_sqrt f x : continuity_pt f x -> continuity_pt (fun y => sqrt (f y)) x.
Proof. intros. apply (cont_after sqrt); auto. apply continuity_pt_filterlim, continuous_sqrt. Qed.

(* ---------- what `auto_derive` is told of ---------- *)
Global Instance UnaryDiff_erfc : UnaryDiff erfc.
Proof.
  exists (fun x => (-2) * / sqrt PI * exp ((-1) * (x * x))). intros x. evar_last. apply is_derive_erfc.
  replace (-1 * (x * x)) with (- (x * x)) by ring. unfold Rdiv. ring.
Defined.
Lemma tanh_never_1 x : exp (2 * x) + 1 <> 0. Proof. pose proof (exp_pos (2 * x)). lra. Qed.
Global Instance UnaryDiff_tanh : UnaryDiff tanh.
Proof.
  exists (fun x => 1 - tanh x ^ 2). intros x.
  apply (is_derive_ext (fun x => (exp (2 * x) - 1) / (exp (2 * x) + 1))). intros; symmetry; apply tanh_exp.
  pose proof (tanh_never_1 x). auto_derive. auto. rewrite tanh_exp. field. auto.
Defined.
Lemma cont_erfc f x : continuity_pt f x -> continuity_pt (fun y => erfc (f y)) x.
Proof. intros. apply (cont_after erfc); auto. apply continuity_pt_filterlim, continuous_erfc. Qed.
Lemma cont_tanh f x : continuity_pt f x -> continuity_pt (fun y => tanh (f y)) x.
Proof. intros. apply (cont_after tanh); auto. apply ex_cont. auto_derive. auto. Qed.

(* ---------- the tactics ---------- *)
Ltac side_one := first [exact I | assumption | nonzero_one | solve [strict] | solve [weak] | lra | nra].
Ltac side := repeat match goal with |- _ /\ _ => split end; side_one.
Ltac cont := cbv beta; lazymatch goal with
  | |- continuity_pt (fun _ => ?c) _ => apply cont_const
  | |- continuity_pt (fun y => y) _ => apply cont_id
  | |- continuity_pt (fun y => @?f y + @?g y) _ => apply (continuity_pt_plus f g); cont
  | |- continuity_pt (fun y => @?f y - @?g y) _ => apply (continuity_pt_minus f g); cont
  | |- continuity_pt (fun y => - @?f y) _ => apply (continuity_pt_opp f); cont
  | |- continuity_pt (fun y => @?f y * @?g y) _ => apply (continuity_pt_mult f g); cont
  | |- continuity_pt (fun y => @?f y ^ _) _ => apply (cont_pow f); cont
  | |- continuity_pt (fun y => / @?f y) _ => apply (cont_inv f); [cont | cbv beta; side]
  | |- continuity_pt (fun y => exp (@?f y)) _ => apply (cont_exp f); cont
  | |- continuity_pt (fun y => ln (@?f y)) _ => apply (cont_ln f); [cont | cbv beta; side]
  | |- continuity_pt (fun y => sqrt (@?f y)) _ => apply (cont_sqrt f); cont
  | |- continuity_pt (fun y => erfc (@?f y)) _ => apply (cont_erfc f); cont
  | |- continuity_pt (fun y => tanh (@?f y)) _ => apply (cont_tanh f); cont
  end.
Ltac slope_is d D := match goal with |- context [Derive ?f ?x] =>
  replace (Derive f x) with d by (symmetry; apply is_derive_unique; exact D) end.
