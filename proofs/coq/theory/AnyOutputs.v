(** * Adaptive composition on output spaces of any kind

    A law on a type, finite or not, says which functions have which mean under it; it is a relation, so that nothing is
    said of functions without a mean.  A mechanism that goes on after an answer x with the law k x has the law `after`:
    a function has a mean under it if it has one under every k x, and these have one under the law of x.

    The Renyi divergence of two laws is stated by Hoelder's inequality: $D_a(P\|Q)\le r$ where
    $\mathbb E_Pf\le e^{(1-1/a)r}(\mathbb E_Qg)^{1-1/a}$ for all $g\ge0$ and $f\le g^{1-1/a}$ with means.

    Proved here: for laws with masses it is at most the divergence of Finite.v, for laws with positive densities at most
    that of Vectors.v; of whatever is seen through finitely many outcomes it bounds the divergence of Finite.v, and so
    it bounds every event; adaptive composition of divergences and of zCDP, of two and of any number of answers. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Convexity Conversion Improper Density Vectors.

(** ** Laws *)

(** [m f v]: under the law m the function f has the mean v. *)
Definition means A := (A -> R) -> R -> Prop.
(** Means are linear, that of one is one, and those of functions that are not negative are not negative. *)
Definition is_law {A} (m : means A) := (forall f c v, m f v -> m (fun x => c * f x) (c * v))
  /\ (forall f g v w, m f v -> m g w -> m (fun x => f x + g x) (v + w))
  /\ (forall f v, (forall x, 0 <= f x) -> m f v -> 0 <= v) /\ m (fun _ => 1) 1.
(** The law of the masses p on the outputs l, and of the density p of n numbers. *)
Definition by_masses {O} (l : list O) (p : O -> R) : means O := fun f v => sum_over l (fun o => p o * f o) = v.
Definition by_density n (p : list R -> R) : means (list R) := fun f v => iterated n (fun x => p x * f x) v.
(** First P; after the answer x, the law k x. *)
Definition after {A B} (P : means A) (k : A -> means B) : means B :=
  fun f v => exists F, (forall x, k x f (F x)) /\ P F v.
(** The law of what is known. *)
Definition known {A} (a : A) : means A := fun f v => f a = v.

(** ** Divergence and zCDP *)

(** $D_a(P\|Q)\le r$. *)
Definition divergence {A} a r (P Q : means A) := forall f g v w B, (forall x, 0 <= g x) ->
  (forall x, f x <= 0 \/ (0 < g x /\ f x <= Rpower (g x) (1 - / a))) -> P f v -> Q g w -> w <= exp B ->
  v <= exp ((1 - / a) * (r + B)).
(** $\rho$-zCDP: $D_a(M(d)\|M(d'))\le\rho a$ for all neighbours and every $a>1$. *)
Definition concentrated {D A} (neighbours : D -> D -> Prop) rho (M : D -> means A) :=
  forall d d' a, neighbours d d' -> 1 < a -> divergence a (rho * a) (M d) (M d').

Lemma share a : 1 < a -> 0 < / a < 1.
Proof. intros A. split. apply Rinv_0_lt_compat. lra. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. Qed.
Lemma law_after {A B} (P : means A) (k : A -> means B) : is_law P -> (forall x, is_law (k x)) -> is_law (after P k).
Proof.
  intros (S & T & N & U) K. repeat split.
  - intros f c v (F & H & I). exists (fun x => c * F x). split; auto. intros x. now apply (K x).
  - intros f g v w (F & H & I) (G & J & L). exists (fun x => F x + G x). split; auto. intros x. now apply (K x).
  - intros f v Z (F & H & I). apply (N F); auto. intros x. now apply (K x) with f.
  - exists (fun _ => 1). split; auto. intros x. apply (K x).
Qed.
Lemma law_known {A} (a : A) : is_law (known a).
Proof. unfold known. repeat split; intros; subst; auto. Qed.
Lemma divergence_known {A} a (x : A) : 1 < a -> divergence a 0 (known x) (known x).
Proof.
  intros A1 f g v w B G H <- <- L. pose proof (share a A1). rewrite Rplus_0_l. destruct (H x) as [Z | [Z Y]].
  - pose proof (exp_pos ((1 - / a) * B)). lra.
  - eapply Rle_trans. exact Y. unfold Rpower. apply exp_mono. apply Rmult_le_compat_l. lra.
    rewrite <- (ln_exp B). destruct L as [L | ->]. left. now apply ln_increasing. lra.
Qed.

(** ** Adaptive composition *)

(** $D_a(P\|Q)\le r$ and $D_a(k_x\|k'_x)\le s$ after every answer x give $r+s$ of what is answered in the end. *)
Theorem divergence_after {A C} a r s (P Q : means A) (k k' : A -> means C) : 1 < a -> is_law P ->
  (forall x, is_law (k' x)) -> divergence a r P Q -> (forall x, divergence a s (k x) (k' x)) ->
  divergence a (r + s) (after P k) (after Q k').
Proof.
  intros A1 (S & _) K H I f g v w B G T (F & HF & PF) (J & HJ & QJ) W. pose proof (share a A1) as [A2 A3].
  set (c := exp (- ((1 - / a) * s))). pose proof (S F c v PF) as PC.
  assert (J0 : forall x, 0 <= J x) by (intros x; now apply (K x) with g).
  assert (L : c * v <= exp ((1 - / a) * (r + B))).
  { apply (H (fun x => c * F x) J (c * v) w B); auto. intros x. destruct (J0 x) as [p | Z].
    - right. split; auto. pose proof (I x f g (F x) (J x) (ln (J x)) G T (HF x) (HJ x) ltac:(rewrite exp_ln; lra)) as X.
      apply (Rmult_le_compat_l c) in X. 2: left; apply exp_pos. eapply Rle_trans. exact X. unfold c, Rpower.
      rewrite <- exp_plus. right. f_equal. ring.
    - left. destruct (Rle_lt_dec (F x) 0) as [L | L]. pose proof (exp_pos (- ((1 - / a) * s))). fold c in H0. nra.
      exfalso. set (b := ln (F x / 2) / (1 - / a) - s).
      pose proof (I x f g (F x) (J x) b G T (HF x) (HJ x) ltac:(rewrite <- Z; left; apply exp_pos)) as X.
      replace ((1 - / a) * (s + b)) with (ln (F x / 2)) in X by (unfold b; field; split; lra).
      rewrite exp_ln in X by lra. lra. }
  apply (Rmult_le_reg_l c). apply exp_pos. eapply Rle_trans. exact L. unfold c. rewrite <- exp_plus. right. f_equal.
  ring.
Qed.
(** Bun and Steinke 2016, Lemma 1.7: $\rho_1$-zCDP, and then $\rho_2$-zCDP whatever was answered, is
    $(\rho_1+\rho_2)$-zCDP. *)
Theorem zcdp_after {D A B} (neighbours : D -> D -> Prop) rho1 rho2 (M : D -> means A) (N : A -> D -> means B) :
  (forall d, is_law (M d)) -> (forall x d, is_law (N x d)) -> concentrated neighbours rho1 M ->
  (forall x, concentrated neighbours rho2 (N x)) ->
  concentrated neighbours (rho1 + rho2) (fun d => after (M d) (fun x => N x d)).
Proof.
  intros LM LN H I d d' a E A1. replace ((rho1 + rho2) * a) with (rho1 * a + rho2 * a) by ring.
  apply divergence_after; auto. intros x. now apply I.
Qed.
(** k answers, each of which may depend on those before it (the latest first). *)
Fixpoint all_answers {O} k (M : list O -> means O) (past : list O) : means (list O) :=
  match k with O => known past | S k => after (M past) (fun o => all_answers k M (o :: past)) end.
Lemma law_answers {O} k (M : list O -> means O) : (forall past, is_law (M past)) -> forall past,
  is_law (all_answers k M past).
Proof. intros L. induction k as [ | k IH]; simpl; intros past. apply law_known. now apply law_after. Qed.
(** k answers, each $\rho$-zCDP whatever was answered before, are $k\rho$-zCDP. *)
Theorem zcdp_answers {D O} (neighbours : D -> D -> Prop) rho k (M : D -> list O -> means O) :
  (forall d past, is_law (M d past)) -> (forall past, concentrated neighbours rho (fun d => M d past)) -> forall past,
  concentrated neighbours (INR k * rho) (fun d => all_answers k (M d) past).
Proof.
  intros L H. induction k as [ | k IH]; intros past.
  - intros d d' a E A1. simpl. rewrite Rmult_0_l, Rmult_0_l. now apply divergence_known.
  - intros d d' a E A1. rewrite S_INR. replace ((INR k + 1) * rho * a) with (rho * a + INR k * rho * a) by ring. simpl.
    apply divergence_after; auto. intros x. now apply law_answers. now apply H. intros x. now apply (IH (x :: past)).
Qed.

(** ** What the divergence is *)

Lemma law_of_masses {O} (l : list O) p : distribution l p -> is_law (by_masses l p).
Proof.
  intros [P U]. unfold by_masses. repeat split; intros; subst.
  - rewrite <- sum_scal. apply sum_ext. intros; ring.
  - rewrite <- sum_plus. apply sum_ext. intros; ring.
  - apply sum_nonneg. intros. now apply Rmult_le_pos.
  - transitivity (sum_over l p); auto. apply sum_ext. intros; ring.
Qed.
Lemma law_of_density n p : vector_density n p -> is_law (by_density n p).
Proof.
  intros [P U]. unfold by_density. repeat split.
  - intros f c v H. apply (iterated_scal n c) in H. revert H. apply iterated_ext. intros; ring.
  - intros f g v w H I. pose proof (iterated_plus n _ _ _ _ H I) as J. revert J. apply iterated_ext. intros; ring.
  - intros f v Z H. apply (iterated_le n (fun _ => 0) (fun x => p x * f x)); auto. intros. now apply Rmult_le_pos.
    assert (X : iterated n (fun x => 0 * (p x * f x)) (0 * v)) by now apply iterated_scal.
    rewrite Rmult_0_l in X. revert X. apply iterated_ext. intros; ring.
  - revert U. apply iterated_ext. intros; ring.
Qed.
(** The power of Hoelder's inequality that is taken at one output. *)
Lemma split_mass a p q g : 1 < a -> 0 < p -> 0 < q -> 0 < g ->
  Rpower (p * Rpower (p / q) (a - 1)) (/ a) * Rpower (q * g) (1 - / a) = p * Rpower g (1 - / a).
Proof.
  intros A P Q G. unfold Rpower. rewrite (ln_mult q g), (ln_mult p), ln_exp, ln_div by (auto; apply exp_pos).
  rewrite <- exp_plus. rewrite <- (exp_ln p) at 3 by auto. rewrite <- exp_plus. f_equal. field. lra.
Qed.
(** Of masses it is at most the divergence of Finite.v. *)
Theorem divergence_of_masses {O} (l : list O) a r p q : 1 < a -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
  renyi l a r p q -> divergence a r (by_masses l p) (by_masses l q).
Proof.
  intros A1 P Q [S M] f g v w B G T <- <- W. pose proof (share a A1) as [A2 A3].
  replace ((1 - / a) * (r + B)) with (/ a * ((a - 1) * r) + (1 - / a) * B) by (field; lra).
  apply (hoelder l (/ a) ((a - 1) * r) B (fun o => p o * Rpower (p o / q o) (a - 1)) (fun o => q o * g o)); auto.
  - lra.
  - intros o. apply Rmult_le_pos; auto. left. apply exp_pos.
  - intros o. now apply Rmult_le_pos.
  - intros o I. destruct (P o) as [Po | E]. 2: left; rewrite <- E; lra. pose proof (S o I Po) as Qo.
    destruct (T o) as [Z | [Z Y]]. left. nra. right. repeat split; try (apply Rmult_lt_0_compat; auto; apply exp_pos).
    rewrite split_mass by auto. apply Rmult_le_compat_l; lra.
Qed.
(** Of positive densities it is at most that of Vectors.v. *)
Theorem divergence_of_densities n a r s p q : 1 < a -> (forall v, 0 < p v) -> (forall v, 0 < q v) ->
  vector_renyi n a p q s -> s <= r -> divergence a r (by_density n p) (by_density n q).
Proof.
  intros A1 P Q H L f g v w B G T Hf Hg W. pose proof (share a A1) as [A2 A3]. unfold by_density in *.
  set (A := (a - 1) * s). set (K := exp (/ a * A + (1 - / a) * B)).
  assert (V : v <= K * (/ a * (exp A * exp (- A)) + (1 - / a) * (w * exp (- B)))).
  { apply (iterated_le n (fun x => p x * f x) (fun x => K * (/ a * (p x * Rpower (p x / q x) (a - 1) * exp (- A))
      + (1 - / a) * (q x * g x * exp (- B))))); auto.
    - intros x _. destruct (T x) as [Z | [Z Y]].
      + pose proof (P x). assert (0 <= K) by (left; apply exp_pos). apply Rle_trans with 0. nra.
        apply Rmult_le_pos; auto. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra.
        * apply Rmult_le_pos. 2: left; apply exp_pos. apply Rmult_le_pos. lra. left. apply exp_pos.
        * apply Rmult_le_pos. 2: left; apply exp_pos. apply Rmult_le_pos. specialize (Q x). lra. auto.
      + eapply Rle_trans. 2: apply young; [lra | | ]; apply Rmult_lt_0_compat; auto; apply exp_pos.
        rewrite split_mass by auto. apply Rmult_le_compat_l; auto. left. auto.
    - apply iterated_scal. pose proof (iterated_scal n (/ a * exp (- A)) _ _ H) as H1.
      pose proof (iterated_scal n ((1 - / a) * exp (- B)) _ _ Hg) as H2.
      pose proof (iterated_plus n _ _ _ _ H1 H2) as H3. fold A in H3.
      replace (/ a * (exp A * exp (- A)) + (1 - / a) * (w * exp (- B)))
        with (/ a * exp (- A) * exp A + (1 - / a) * exp (- B) * w) by ring.
      revert H3. apply iterated_ext. intros; ring. }
  eapply Rle_trans. exact V. rewrite <- exp_plus, Rplus_opp_r, exp_0.
  assert (X : w * exp (- B) <= 1).
  { replace 1 with (exp B * exp (- B)) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    apply Rmult_le_compat_r; auto. left. apply exp_pos. }
  apply Rle_trans with (K * 1). apply Rmult_le_compat_l. left; apply exp_pos. nra.
  rewrite Rmult_1_r. unfold K, A. apply exp_mono.
  replace (/ a * ((a - 1) * s) + (1 - / a) * B) with ((1 - / a) * (s + B)) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(** ** What is seen of it *)

Lemma mean_of_sum {A I} (m : means A) (l : list I) c h v : is_law m -> (forall i, In i l -> m (h i) (v i)) ->
  m (fun x => sum_over l (fun i => c i * h i x)) (sum_over l (fun i => c i * v i)).
Proof.
  intros (S & T & N & U) H. induction l as [ | i l IH]; simpl.
  - pose proof (S _ 0 _ U) as Z. rewrite Rmult_0_l in Z. replace (fun _ : A => 0) with (fun _ : A => 0 * 1). exact Z.
    apply FunctionalExtensionality.functional_extensionality. intros; ring.
  - apply (T (fun x => c i * h i x) (fun x => sum_over l (fun i => c i * h i x))).
    apply S, H. now left. apply IH. intros j J. apply H. now right.
Qed.
Definition one_of {A} (cell : A -> nat) i (x : A) : R := if Nat.eqb (cell x) i then 1 else 0.
Lemma sum_one_of {A} (cell : A -> nat) c x n : (cell x < n)%nat ->
  sum_over (seq 0 n) (fun i => c i * one_of cell i x) = c (cell x).
Proof.
  intros L. unfold one_of. induction n as [ | n IH]. lia. rewrite seq_S, sum_app. simpl.
  destruct (Nat.eqb_spec (cell x) n) as [-> | E].
  - rewrite (sum_ext _ _ (fun _ => 0)). rewrite sum_zero. ring. intros i I. apply in_seq in I.
    destruct (Nat.eqb_spec n i). lia. ring.
  - rewrite IH by lia. ring.
Qed.
Lemma below_all_exponents a r v : 1 < a -> (forall B, v <= exp ((1 - / a) * (r + B))) -> v <= 0.
Proof.
  intros A1 H. pose proof (share a A1). destruct (Rle_lt_dec v 0) as [L | L]; auto. exfalso.
  specialize (H (ln (v / 2) / (1 - / a) - r)).
  replace ((1 - / a) * (r + (ln (v / 2) / (1 - / a) - r))) with (ln (v / 2)) in H by (field; split; lra).
  rewrite exp_ln in H; lra.
Qed.
(** Of what is seen through finitely many outcomes, it bounds the divergence of Finite.v. *)
Theorem divergence_seen {A} a r (P Q : means A) n (cell : A -> nat) p q : 1 < a -> is_law P -> is_law Q ->
  (forall x, (cell x < n)%nat) -> (forall i, (i < n)%nat -> P (one_of cell i) (p i)) ->
  (forall i, (i < n)%nat -> Q (one_of cell i) (q i)) -> divergence a r P Q -> renyi (seq 0 n) a r p q.
Proof.
  intros A1 LP LQ C HP HQ D. pose proof (share a A1) as [A2 A3].
  assert (Z : forall i x, 0 <= one_of cell i x) by (intros; unfold one_of; destruct (Nat.eqb _ _); lra).
  assert (P0 : forall i, (i < n)%nat -> 0 <= p i).
  { intros i I. apply (proj1 (proj2 (proj2 LP))) with (one_of cell i); auto. }
  assert (Q0 : forall i, (i < n)%nat -> 0 <= q i).
  { intros i I. apply (proj1 (proj2 (proj2 LQ))) with (one_of cell i); auto. }
  assert (SU : supported (seq 0 n) p q).
  { intros i I Pi. apply in_seq in I. destruct (Q0 i) as [ | E]; auto. lia. exfalso.
    enough (p i <= 0) by lra. apply (below_all_exponents a r); auto. intros B.
    apply (D (one_of cell i) (one_of cell i) (p i) (q i) B); auto; try (apply HP; lia); try (apply HQ; lia).
    - intros x. unfold one_of. destruct (Nat.eqb (cell x) i). 2: left; lra. right. split. lra.
      unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. lra.
    - rewrite <- E. left. apply exp_pos. }
  split; auto.
  set (c := fun i => if Rlt_dec 0 (p i) then Rpower (p i / q i) (a - 1) else 0).
  set (e := fun i => if Rlt_dec 0 (p i) then Rpower (p i / q i) a else 0).
  assert (E : moment (seq 0 n) a p q = sum_over (seq 0 n) (fun i => c i * p i)).
  { apply sum_ext. intros i I. apply in_seq in I. unfold c. destruct (Rlt_dec 0 (p i)). ring.
    replace (p i) with 0 by (pose proof (P0 i); assert (0 <= p i) by (apply P0; lia); lra). ring. }
  assert (F : sum_over (seq 0 n) (fun i => e i * q i) = sum_over (seq 0 n) (fun i => c i * p i)).
  { apply sum_ext. intros i I. unfold c, e. destruct (Rlt_dec 0 (p i)) as [Pi | ]. 2: ring.
    pose proof (SU i I Pi) as Qi. replace a with (1 + (a - 1)) at 1 by ring. rewrite Rpower_plus, Rpower_1.
    field. lra. now apply Rdiv_lt_0_compat. }
  rewrite E. set (S := sum_over _ _) in *. destruct (Rle_lt_dec S 0) as [L | L].
  { pose proof (exp_pos ((a - 1) * r)). lra. }
  assert (I : forall i, In i (seq 0 n) -> (i < n)%nat) by (intros i I; apply in_seq in I; lia).
  assert (V : S <= exp ((1 - / a) * (r + ln S))).
  { apply (D (fun x => sum_over (seq 0 n) (fun i => c i * one_of cell i x))
      (fun x => sum_over (seq 0 n) (fun i => e i * one_of cell i x)) S S).
    - intros x. rewrite sum_one_of by auto. unfold e. destruct (Rlt_dec _ _). left; apply exp_pos. lra.
    - intros x. rewrite !sum_one_of by auto. unfold c, e. destruct (Rlt_dec _ _) as [Pi | ]. 2: left; lra.
      right. split. apply exp_pos. rewrite Rpower_mult. right. f_equal. field. lra.
    - apply mean_of_sum; auto.
    - rewrite <- F. apply mean_of_sum; auto.
    - rewrite exp_ln; lra. }
  rewrite <- (exp_ln S) by auto. apply exp_mono. rewrite <- (exp_ln S) in V at 1 by auto. apply exp_mono_inv in V.
  apply (Rmult_le_reg_l (/ a)); auto. replace (/ a * ((a - 1) * r)) with ((1 - / a) * r) by (field; lra). lra.
Qed.
(** An event S that has probabilities under both: $P(S)\le e^\varepsilon Q(S)+e^{(a-1)(r-\varepsilon)}$. *)
Theorem divergence_bounds_events {A} a r eps (P Q : means A) (S : A -> bool) p q : 1 < a -> is_law P -> is_law Q ->
  divergence a r P Q -> P (fun x => if S x then 1 else 0) p -> Q (fun x => if S x then 1 else 0) q ->
  p <= exp eps * q + exp ((a - 1) * (r - eps)).
Proof.
  intros A1 LP LQ D HP HQ.
  set (cell := fun x => if S x then 1%nat else 0%nat).
  assert (K : forall (m : means A) v, is_law m -> m (fun x => if S x then 1 else 0) v -> forall i, (i < 2)%nat ->
    m (one_of cell i) (if Nat.eqb i 1 then v else 1 - v)).
  { intros m v (X & Y & _ & U) H [ | [ | i]] L; simpl. 3: lia.
    - pose proof (Y _ _ _ _ U (X _ (-1) _ H)) as Z. replace (1 - v) with (1 + -1 * v) by ring.
      replace (one_of cell 0) with (fun x => 1 + -1 * (if S x then 1 else 0)). exact Z.
      apply FunctionalExtensionality.functional_extensionality. intros x. unfold one_of, cell.
      destruct (S x); simpl; ring.
    - replace (one_of cell 1) with (fun x => if S x then 1 else 0). exact H.
      apply FunctionalExtensionality.functional_extensionality. intros x. unfold one_of, cell. now destruct (S x). }
  assert (B : forall (m : means A) v, is_law m -> m (fun x => if S x then 1 else 0) v -> 0 <= v <= 1).
  { intros m v L H. pose proof (K m v L H 0%nat ltac:(lia)) as H0. destruct L as (_ & _ & N & _). split.
    - apply (N _ _) with (2 := H). intros x. destruct (S x); lra.
    - simpl in H0. enough (0 <= 1 - v) by lra. apply (N _ _) with (2 := H0). intros x. unfold one_of.
      destruct (Nat.eqb _ _); lra. }
  pose proof (B P p LP HP). pose proof (B Q q LQ HQ).
  pose proof (divergence_seen a r P Q 2 cell _ _ A1 LP LQ ltac:(intros x; unfold cell; destruct (S x); lia)
    (K P p LP HP) (K Q q LQ HQ) D) as R.
  apply (renyi_to_dp _ _ _ eps) in R; auto.
  - specialize (R (fun i => Nat.eqb i 1)). unfold prob in R. simpl in R. lra.
  - intros i. destruct (Nat.eqb i 1); lra.
  - intros i. destruct (Nat.eqb i 1); lra.
Qed.
