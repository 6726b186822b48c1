(** * Guarantees but for a failure

    Proved here: what is (eps, del)-private in both directions is purely private but for a part of mass del on both
      sides;
    approximate zCDP, its adaptive composition and its conversion (Bun and Steinke 2016, Section 8); filters for
    (eps_i, del_i)-private questions that are chosen on the way, with half of the squares as the mean (Whitehouse,
      Ramdas,
    Rogers and Wu 2023, Theorem 1). *)
From Dpref Require Import Finite Interaction Approximate Dominance Pairs Convexity Renyi Conversion Concentrated
  Advanced.

(** p is p' but for a part of mass del. *)
Definition but_for {O} (l : list O) del (p p' : O -> R) := distribution l p' /\ forall o, (1 - del) * p' o <= p o.

(** ** The pure part of what is (eps, del)-private *)

Section Pure.
  Context {O : Type} (l : list O) (eps : R).
  (** What both sides have within the ratio, and its share that has as much mass on both sides. *)
  Definition common (p q : O -> R) o := Rmin (p o) (exp eps * q o).
  Definition total (p q : O -> R) := sum_over l (common p q).
  (** From p's common part down to exp(-eps) of q's, as far as its mass is above that of q's. *)
  Definition share (p q : O -> R) := (total p q - total q p) / (total p q - exp (- eps) * total q p).
  Definition levelled (p q : O -> R) o :=
    if Rle_dec (total p q) (total q p) then common p q o
    else (1 - share p q) * common p q o + share p q * (exp (- eps) * common q p o).
  Definition pure_part (p q : O -> R) o := levelled p q o / Rmin (total p q) (total q p).
  Lemma common_ratio p q o : (forall o, 0 <= p o) -> (forall o, 0 <= q o) -> 0 <= eps ->
    0 <= common p q o /\ common p q o <= exp eps * common q p o.
  Proof.
    intros P Q E. pose proof (exp_ineq1_le eps). pose proof (P o). pose proof (Q o).
    assert (0 <= exp eps * q o) by nra. assert (p o <= exp eps * p o) by nra.
    assert (exp eps * p o <= exp eps * (exp eps * p o)) by (apply Rmult_le_compat_l; lra).
    unfold common, Rmin. split; repeat destruct (Rle_dec _ _); lra.
  Qed.
  Lemma common_below p q o : (forall o, 0 <= p o) -> (forall o, 0 <= q o) -> 0 <= eps ->
    exp (- eps) * common q p o <= common p q o.
  Proof.
    intros P Q E. destruct (common_ratio q p o Q P E) as [_ H]. pose proof (exp_pos (- eps)) as J.
    apply (Rmult_le_compat_l (exp (- eps))) in H; [ | lra]. now rewrite <- Rmult_assoc, inverse_exp, Rmult_1_l in H.
  Qed.
  Lemma total_below p q del : distribution l p -> close l eps del p q -> 1 - del <= total p q.
  Proof.
    intros [P S] C. apply hockey_is_delta in C. unfold total.
    enough (sum_over l (common p q) = sum_over l p - hockey l eps p q) by lra.
    unfold hockey. rewrite <- sum_minus. apply sum_ext. intros o _. unfold common, Rmin, Rmax.
    repeat destruct (Rle_dec _ _); lra.
  Qed.
  Section Both.
    Variables p q : O -> R.
    Hypotheses (P : forall o, 0 <= p o) (Q : forall o, 0 <= q o) (E : 0 < eps) (T : 0 < total q p).
    Lemma share_range : ~ total p q <= total q p -> 0 <= share p q <= 1.
    Proof.
      intros N. pose proof (exp_increasing (- eps) 0 ltac:(lra)) as Z. rewrite exp_0 in Z.
      assert (D : 0 < total p q - exp (- eps) * total q p) by nra. unfold share.
      assert (((total p q - total q p) / (total p q - exp (- eps) * total q p)) * (total p q - exp (- eps) * total q
        p)
        = total p q - total q p) by (field; lra). split; nra.
    Qed.
    Lemma levelled_bounds o : exp (- eps) * common q p o <= levelled p q o <= common p q o.
    Proof.
      unfold levelled. pose proof (common_below p q o P Q ltac:(lra)). destruct (Rle_dec _ _) as [H0 | N]; [lra | ].
      pose proof (share_range N). nra.
    Qed.
    Lemma levelled_total : sum_over l (levelled p q) = Rmin (total p q) (total q p).
    Proof.
      unfold levelled, Rmin. destruct (Rle_dec _ _) as [H | N]. reflexivity. rewrite sum_plus, !sum_scal.
      fold (total p q) (total q p).
      pose proof (exp_increasing (- eps) 0 ltac:(lra)) as Z. rewrite exp_0 in Z. unfold share. field. nra.
    Qed.
  End Both.
  Lemma pure_part_but_for p q del : 0 < eps -> del < 1 -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
    1 - del <= total p q -> 1 - del <= total q p -> but_for l del p (pure_part p q).
  Proof.
    intros E D P Q T1 T2. pose proof (levelled_total p q E ltac:(lra)) as L. unfold pure_part.
    set (m := Rmin (total p q) (total q p)) in *. assert (M : 1 - del <= m) by (apply Rmin_glb; auto).
    assert (B : forall o, 0 <= levelled p q o <= common p q o).
    { intros o. pose proof (levelled_bounds p q P Q E ltac:(lra) o). destruct (common_ratio q p o Q P ltac:(lra)).
      pose proof (Rmult_le_pos _ _ (Rlt_le _ _ (exp_pos (- eps))) H0). lra. }
    split; [split | ].
    - intros o. apply Rmult_le_pos. apply B. left; apply Rinv_0_lt_compat; lra.
    - unfold Rdiv. rewrite sum_scal_r, L. field. lra.
    - intros o. destruct (B o) as [B0 B1]. assert (CP : common p q o <= p o) by apply Rmin_l.
      apply Rle_trans with (m * (levelled p q o / m)). apply Rmult_le_compat_r; auto. apply Rmult_le_pos; auto.
      left; apply Rinv_0_lt_compat; lra. replace (m * (levelled p q o / m)) with (levelled p q o) by (field; lra).
      lra.
  Qed.
  Lemma levelled_ratio p q o : 0 < eps -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) -> 0 < total p q ->
    0 < total q p ->
    total p q <= total q p -> levelled p q o <= exp eps * levelled q p o /\ levelled q p o <= exp eps * levelled p q
      o.
  Proof.
    intros E P Q T1 T2 H. pose proof (levelled_bounds q p Q P E T1 o) as [B B'].
    assert (L : levelled p q o = common p q o) by (unfold levelled; destruct (Rle_dec _ _); easy). rewrite L.
    destruct (common_ratio q p o Q P ltac:(lra)) as [_ U]. pose proof (exp_pos eps). split. 2: lra.
    apply (Rmult_le_compat_l (exp eps)) in B; [ | lra].
    rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), inverse_exp in B. lra.
  Qed.
  Theorem pure_part_private p q del : 0 < eps -> del < 1 -> distribution l p -> distribution l q ->
    close l eps del p q -> close l eps del q p ->
    but_for l del p (pure_part p q) /\ but_for l del q (pure_part q p) /\ pure l eps (pure_part p q) (pure_part q p).
  Proof.
    intros E D1 Dp Dq C C'. pose proof (total_below p q del Dp C) as T1. pose proof (total_below q p del Dq C') as T2.
    destruct Dp as [P _]. destruct Dq as [Q _]. split; [ | split]. now apply pure_part_but_for.
    now apply pure_part_but_for.
    intros o _. unfold pure_part. rewrite (Rmin_comm (total q p)). set (m := Rmin (total p q) (total q p)).
    assert (M : 1 - del <= m) by (apply Rmin_glb; auto). assert (I : 0 < / m) by (apply Rinv_0_lt_compat; lra).
    assert (B : levelled p q o <= exp eps * levelled q p o /\ levelled q p o <= exp eps * levelled p q o).
    { destruct (Rle_lt_dec (total p q) (total q p)). apply levelled_ratio; auto; lra.
      destruct (levelled_ratio q p o); auto; lra. }
    unfold Rdiv. split; rewrite <- Rmult_assoc; apply Rmult_le_compat_r; lra.
  Qed.
End Pure.

(** ** Failures add *)

(** What is lost when the first side is p instead of its part p'. *)
Lemma close_but_for {O} (l : list O) eps d0 d1 p q p' q' : distribution l p -> 0 <= d0 <= 1 ->
  but_for l d0 p p' -> but_for l d0 q q' -> close l eps d1 p' q' -> close l eps (d0 + (1 - d0) * d1) p q.
Proof.
  intros [P Sp] D [[P' Sp'] B] [_ B'] H. apply hockey_is_delta. apply hockey_is_delta in H. unfold hockey in *.
  apply Rle_trans with (sum_over l (fun o => (1 - d0) * Rmax 0 (p' o - exp eps * q' o) + (p o - (1 - d0) * p' o))).
  - apply sum_le. intros o _. rewrite <- Rmax_scal by lra. specialize (B o). specialize (B' o).
    pose proof (exp_pos eps).
    apply Rmax_lub. pose proof (Rmax_l 0 ((1 - d0) * (p' o - exp eps * q' o))). lra.
    pose proof (Rmax_r 0 ((1 - d0) * (p' o - exp eps * q' o))). nra.
  - rewrite sum_plus, sum_minus, !sum_scal, Sp, Sp'. nra.
Qed.

(** *** Approximate zCDP *)

(** On each side all but a part of mass del; the rest is rho-zCDP. [part d d'] is the rest of M d against d'. *)
Definition approximate_zCDP {D O} (neighbours : D -> D -> Prop) (l : list O) del rho (M : D -> O -> R)
    (part : D -> D -> O -> R) := forall d d', neighbours d d' ->
  but_for l del (M d) (part d d') /\ but_for l del (M d') (part d' d)
  /\ forall a, 1 < a -> renyi l a (rho * a) (part d d') (part d' d).
(** Outside of failures of mass $\delta_1$ and $\delta_2$ the rhos add;
    a failure has mass $\delta_1+(1-\delta_1)\delta_2$. *)
Theorem approximate_zcdp_composition {D O1 O2} (neighbours : D -> D -> Prop) (l1 : list O1) (l2 : list O2) x1 x2 r1 r2
    (M1 : D -> O1 -> R) (M2 : D -> O1 -> O2 -> R) part1 part2 : 0 <= x1 <= 1 -> 0 <= x2 <= 1 ->
  mechanism l1 M1 -> (forall o, mechanism l2 (fun d => M2 d o)) ->
  approximate_zCDP neighbours l1 x1 r1 M1 part1 ->
  (forall o, approximate_zCDP neighbours l2 x2 r2 (fun d => M2 d o) (fun d d' => part2 d d' o)) ->
  approximate_zCDP neighbours (list_prod l1 l2) (x1 + (1 - x1) * x2) (r1 + r2) (adaptive M1 M2)
    (fun d d' o => part1 d d' (fst o) * part2 d d' (fst o) (snd o)).
Proof.
  intros X1 X2 P1 P2 H1 H2 d d' N. destruct (H1 d d' N) as (A & A' & R1).
  assert (J : forall d d', but_for l1 x1 (M1 d) (part1 d d') -> (forall o, but_for l2 x2 (M2 d o) (part2 d d' o)) ->
    but_for (list_prod l1 l2) (x1 + (1 - x1) * x2) (adaptive M1 M2 d) (fun o => part1 d d' (fst o) * part2 d d' (fst
      o) (snd o))).
  { intros e e' [[U S] B] K. split; [split | ].
    - intros o. apply Rmult_le_pos. apply U. apply (K (fst o)).
    - rewrite sum_prod. rewrite <- S. apply sum_ext. intros o _. simpl. rewrite sum_scal.
      destruct (K o) as [[_ ->] _]. ring.
    - intros [o1 o2]. unfold adaptive. simpl. destruct (K o1) as [[V _] B2]. specialize (B o1). specialize (B2 o2).
      replace ((1 - (x1 + (1 - x1) * x2)) * (part1 e e' o1 * part2 e e' o1 o2))
        with (((1 - x1) * part1 e e' o1) * ((1 - x2) * part2 e e' o1 o2)) by ring.
      apply Rmult_le_compat; auto; apply Rmult_le_pos; auto; lra. }
  split; [ | split]. apply J; auto. intros o. apply (H2 o d d' N). apply J; auto. intros o. apply (H2 o d d' N).
  intros a L. rewrite list_prod_joined, Rmult_plus_distr_r.
  apply (renyi_joined pair l1 (fun _ => l2) a (r1 * a) (r2 * a) (part1 d d') (part1 d' d) (part2 d d') (part2 d' d));
    auto.
  intros u v. reflexivity. intros u v. reflexivity. apply A. apply A'.
  intros o. apply (H2 o d d' N). intros o. apply (H2 o d d' N). intros o _. now apply (H2 o d d' N).
Qed.
(** $\delta+(1-\delta)e^{-(\varepsilon-\rho)^2/(4\rho)}$. *)
Theorem approximate_zcdp_to_dp {D O} (neighbours : D -> D -> Prop) (l : list O) del rho eps (M : D -> O -> R) part :
  0 <= del <= 1 -> 0 < rho -> rho < eps -> mechanism l M -> approximate_zCDP neighbours l del rho M part ->
  DP neighbours l eps (del + (1 - del) * exp (- ((eps - rho) * (eps - rho)) / (4 * rho))) M.
Proof.
  intros X R0 E P H d d' N. destruct (H d d' N) as (A & A' & Z).
  apply close_but_for with (part d d') (part d' d); auto.
  apply (zcdp_to_dp (fun b b' : bool => b = true /\ b' = false) l rho eps (fun b => if b then part d d' else part d'
    d)) with (d := true) (d' := false); auto.
  intros [ | ]; [apply A | apply A']. intros a L b b' [-> ->]. now apply Z.
Qed.

(** ** A filter for (eps, delta)-private questions *)

(** What question i may spend, as a function of the answers before it;
    along every transcript the squares of the epsilons
    add up to at most v and the deltas to at most del. *)
Fixpoint spends_squares {D O} (neighbours : D -> D -> Prop) (l : list O) (loss : list O -> R * R) v del
    (it : interaction D O) : Prop :=
  match it with
  | stop => 0 <= v /\ 0 <= del
  | ask M next => let (e, x) := loss [] in 0 < e /\ 0 <= x < 1 /\ DP neighbours l e x M
                  /\ forall o, spends_squares neighbours l (fun h => loss (o :: h)) (v - e * e) (del - x) (next o)
  end.
(** The questions' pure parts for one pair of neighbours, as an interaction of their own. *)
Fixpoint pure_parts {D O} (l : list O) (loss : list O ->
  R * R) (d d' : D) (it : interaction D O) : interaction bool O :=
  match it with
  | stop => stop
  | ask M next => ask (fun b : bool => if b then pure_part l (fst (loss [])) (M d) (M d') else pure_part l (fst (loss
    [])) (M d') (M d))
                      (fun o => pure_parts l (fun h => loss (o :: h)) d d' (next o))
  end.
Lemma joined_ext {A B C} (c : A -> B -> C) l1 l2 l2' : (forall a, l2 a = l2' a) -> joined c l1 l2 = joined c l1 l2'.
Proof. intros H. unfold joined. induction l1; simpl; auto. now rewrite H, IHl1. Qed.
Lemma stick_joined {A B C} (c : A -> B -> C) l1 l2 x y p1 q1 p2 q2 p q : product c p1 p2 p -> product c q1 q2 q ->
  stick (joined c l1 l2) x y p q = sum_over l1 (fun a => stick (l2 a) (x * p1 a) (y * q1 a) (p2 a) (q2 a)).
Proof.
  intros P Q. unfold stick. rewrite sum_joined. apply sum_ext. intros a _. apply sum_ext. intros b _. rewrite P, Q.
  f_equal. ring.
Qed.
Lemma stick_split {O} (l : list O) x x' y p q : 0 <= x' -> (forall o, 0 <= p o) ->
  stick l (x + x') y p q <= stick l x y p q + x' * sum_over l p.
Proof.
  intros X P. pose proof (stick_plus l x y x' 0 p q) as S. rewrite Rplus_0_r, (stick_first l x') in S by auto.
  exact S.
Qed.
Section Filter.
  Context {D O : Type} (neighbours : D -> D -> Prop) (l : list O) (d d' : D).
  Hypothesis Sy : forall d d', neighbours d d' -> neighbours d' d.
  Hypothesis N : neighbours d d'.
  Lemma pure_parts_transcripts it : forall loss, transcripts l (pure_parts l loss d d' it) = transcripts l it.
  Proof. induction it as [ | M next IH]; intros loss; simpl; auto. apply joined_ext. intros a. apply IH. Qed.
  Lemma question_parts loss M : mechanism l M -> 0 < fst (loss (@nil O)) -> 0 <= snd (loss []) < 1 ->
    DP neighbours l (fst (loss [])) (snd (loss [])) M ->
    let p := pure_part l (fst (loss [])) (M d) (M d') in let q := pure_part l (fst (loss [])) (M d') (M d) in
    but_for l (snd (loss [])) (M d) p /\ but_for l (snd (loss [])) (M d') q /\ pure l (fst (loss [])) p q.
  Proof. intros P E X H. apply pure_part_private; auto. lra. Qed.
  Lemma pure_parts_spend it : asks_mechanisms l it -> forall loss v del, spends_squares neighbours l loss v del it ->
    asks_mechanisms l (pure_parts l loss d d' it)
    /\ spends_concentrated (fun b b' : bool => b = true /\ b' = false) l (v / 2) v (pure_parts l loss d d' it).
  Proof.
    induction it as [ | M next IH]; intros P loss v del B; simpl in *. lra. destruct P as [PM P].
    pose proof (question_parts loss M PM) as Q. destruct (loss []) as [e x] eqn:Eq. simpl in *.
    destruct B as (E & X & H & B).
    destruct (Q E X H) as ([D1 _] & [D2 _] & Pu). split; [split | ].
    - now intros [ | ].
    - intros o. apply (IH o (P o) _ (v - e * e) (del - x)), B.
    - exists (e * e / 2), (e * e). split.
      + intros b b' [-> ->]. replace (e * e) with (2 * (e * e / 2)) at 2 by field. apply zcdp_concentrated.
        apply pure_zcdp; auto.
      + intros o. replace (v / 2 - e * e / 2) with ((v - e * e) / 2) by field.
        apply (IH o (P o) _ (v - e * e) (del - x)), B.
  Qed.
  Lemma pure_parts_stick it : asks_mechanisms l it -> forall loss v del, spends_squares neighbours l loss v del it ->
    0 <= del /\ forall x y, 0 <= x -> 0 <= y ->
    stick (transcripts l it) x y (mass it d) (mass it d')
      <= stick (transcripts l it) x y (mass (pure_parts l loss d d' it) true) (mass (pure_parts l loss d d' it)
        false) + x * del.
  Proof.
    induction it as [ | M next IH]; intros P loss v del B.
    { simpl in *. split. apply B. intros x y X Y. unfold stick. simpl. assert (0 <= x * del) by (apply Rmult_le_pos;
        lra). lra. }
    destruct P as [PM P]. simpl in B. pose proof (question_parts loss M PM) as Q. destruct (loss []) as [e x0] eqn:Eq.
    simpl in Q. destruct B as (E & X & H & B). destruct (Q E X H) as ([[PP SP] LP] & [[PQ SQ] LQ] & _).
    assert (NE : l <> []) by (intros Z; destruct (PM d) as [_ S]; rewrite Z in S; simpl in S; lra).
    assert (D0 : 0 <= del - x0). { destruct l as [ | o l0]. easy. apply (IH o (P o) _ _ _ (B o)). }
    split. lra. intros x y X0 Y0. set (p := pure_part l e (M d) (M d')) in *.
    set (q := pure_part l e (M d') (M d)) in *.
    simpl transcripts. rewrite (stick_joined cons l _ x y (M d) (M d') (fun o => mass (next o) d) (fun o => mass
      (next o) d'))
      by apply mass_product.
    rewrite (stick_joined cons l (fun o => transcripts l (next o)) x y p q
      (fun o => mass (pure_parts l (fun h => loss (o :: h)) d d' (next o)) true)
      (fun o => mass (pure_parts l (fun h => loss (o :: h)) d d' (next o)) false)).
    2, 3: intros a b; simpl; now rewrite Eq.
    pose (S o := stick (transcripts l (next o)) (x * p o) (y * q o)
      (mass (pure_parts l (fun h => loss (o :: h)) d d' (next o)) true) (mass (pure_parts l (fun h => loss (o :: h))
        d d' (next o)) false)).
    change (sum_over l (fun o => stick (transcripts l (next o)) (x * M d o) (y * M d' o) (mass (next o) d) (mass
      (next o) d'))
      <= sum_over l S + x * del).
    apply Rle_trans with (sum_over l (fun o => (S o + x * (del - x0) * p o) + (x * M d o - x * (1 - x0) * p o))).
    - apply sum_le. intros o _. destruct (IH o (P o) _ _ _ (B o)) as [_ I].
      pose proof (transcripts_mechanism l (next o) (P o)) as T.
      specialize (LP o). specialize (LQ o). pose proof (PP o). pose proof (PQ o).
      apply Rle_trans with (stick (transcripts l (next o)) (x * ((1 - x0) * p o)) (y * ((1 - x0) * q o)) (mass (next
        o) d) (mass (next o) d')
        + (x * M d o - x * ((1 - x0) * p o))).
      + replace (x * M d o) with (x * ((1 - x0) * p o) + (x * M d o - x * ((1 - x0) * p o))) at 1 by ring.
        eapply Rle_trans. apply stick_split. assert (x * ((1 - x0) * p o) <= x * M d o) by (apply Rmult_le_compat_l;
          lra). lra. apply T.
        destruct (T d) as [_ ->]. rewrite Rmult_1_r. apply Rplus_le_compat_r. apply stick_antitone.
        exact (proj1 (T d')). apply Rmult_le_compat_l; lra.
      + enough (stick (transcripts l (next o)) (x * ((1 - x0) * p o)) (y * ((1 - x0) * q o)) (mass (next o) d) (mass
          (next o) d')
          <= S o + x * (del - x0) * p o) by lra.
        replace (x * ((1 - x0) * p o)) with ((1 - x0) * (x * p o)) by ring.
        replace (y * ((1 - x0) * q o)) with ((1 - x0) * (y * q o)) by ring.
        rewrite stick_scal by lra. specialize (I (x * p o) (y * q o) ltac:(apply Rmult_le_pos;
          auto) ltac:(apply Rmult_le_pos; auto)).
        fold (S o) in I. assert (0 <= S o) by (apply sum_nonneg; intros; apply Rmax_l).
        assert (W : 0 <= x * p o * (del - x0)) by (apply Rmult_le_pos; [apply Rmult_le_pos; auto | lra]).
        apply (Rmult_le_compat_l (1 - x0)) in I; [ | lra]. eapply Rle_trans. apply I.
        assert (0 <= x0 * S o) by (apply Rmult_le_pos; lra).
        assert (0 <= x0 * (x * p o * (del - x0))) by (apply Rmult_le_pos; lra). lra.
    - rewrite !sum_plus, sum_minus, !sum_scal, SP. destruct (PM d) as [_ ->]. nra.
  Qed.
End Filter.
(** $\frac v2+\sqrt{2vL}$ at $\delta+e^{-L}$, where along every transcript $\sum\varepsilon_i^2\le v$ and
    $\sum\delta_i\le\delta$. *)
Theorem approximate_dp_filter {D O} (neighbours : D -> D -> Prop) (l : list O) loss v del L (it : interaction D O) :
  (forall d d', neighbours d d' -> neighbours d' d) -> 0 < v -> 0 < L -> asks_mechanisms l it ->
  spends_squares neighbours l loss v del it ->
  DP neighbours (transcripts l it) (v / 2 + sqrt (2 * v * L)) (del + exp (- L)) (mass it).
Proof.
  intros Sy V L0 P B d d' N. destruct (pure_parts_spend neighbours l d d' Sy N it P loss v del B) as [P' B'].
  destruct (pure_parts_stick neighbours l d d' Sy N it P loss v del B) as [_ S]. set (t := sqrt (2 * v * L)).
  assert (T : 0 < t) by (apply sqrt_lt_R0; repeat apply Rmult_lt_0_compat; lra).
  assert (TT : t * t = 2 * v * L) by (apply sqrt_sqrt; repeat apply Rmult_le_pos; lra).
  apply hockey_is_delta. rewrite hockey_stick. eapply Rle_trans. apply S. lra. left; apply exp_pos.
  rewrite <- hockey_stick.
  enough (hockey (transcripts l it) (v / 2 + t) (mass (pure_parts l loss d d' it) true) (mass (pure_parts l loss d d'
    it) false) <= exp (- L)) by lra.
  apply hockey_is_delta. rewrite <- (pure_parts_transcripts l d d' it loss).
  pose proof (transcripts_mechanism l _ P') as Q.
  apply close_weaken with (v / 2 + t) (exp (- (t * t) / (2 * v)) * / (1 + t / v)); try apply Q; try lra.
  - rewrite TT. replace (- (2 * v * L) / (2 * v)) with (- L) by (field; lra).
    assert (/ (1 + t / v) <= 1). { rewrite <- Rinv_1 at 2. apply Rinv_le_contravar. lra.
    pose proof (Rdiv_lt_0_compat _ _ T V). lra. }
    pose proof (exp_pos (- L)). assert (exp (- L) * / (1 + t / v) <= exp (- L) * 1) by (apply Rmult_le_compat_l;
      lra). lra.
  - apply concentrated_to_dp; auto; try apply Q.
    now apply (concentrated_filter (fun b b' : bool => b = true /\ b' = false)).
Qed.
