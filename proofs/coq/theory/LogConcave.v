(* Log-concave noise on the line: against a shift, no test gains more than some half line.  The privacy loss rises with
   the output, so the event where it is above eps is a half line, everything or nothing. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Tails.
Open Scope R_scope.

Definition concave (h : R -> R) : Prop :=
  forall x y t, 0 <= t <= 1 -> t * h x + (1 - t) * h y <= h (t * x + (1 - t) * y).
Definition log_concave (f : R -> R) : Prop := (forall x, 0 < f x) /\ concave (fun x => ln (f x)).
Definition upward (S : R -> bool) : Prop := forall x y, x <= y -> S x = true -> S y = true.
(* everything, nothing, or what is beyond t, with or without t *)
Definition half_line (S : R -> bool) : Prop :=
  (forall x, S x = true) \/ (forall x, S x = false) \/
  exists t, forall x, (x < t -> S x = false) /\ (t < x -> S x = true).

(* the increments of a concave function fall *)
Lemma concave_increments h m x y : concave h -> 0 < m -> x <= y -> h (x - m) + h y <= h x + h (y - m).
Proof.
  intros C M L. assert (D : 0 < y - x + m) by lra.
  assert (T : 0 <= (y - x) / (y - x + m) <= 1).
  { split. apply Rmult_le_pos. lra. left. now apply Rinv_0_lt_compat.
    apply (Rmult_le_reg_r (y - x + m)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (t := (y - x) / (y - x + m)) in *.
  pose proof (C (x - m) y t T) as A. pose proof (C (x - m) y (1 - t) ltac:(lra)) as B.
  replace (t * (x - m) + (1 - t) * y) with x in A by (unfold t; field; lra).
  replace ((1 - t) * (x - m) + (1 - (1 - t)) * y) with (y - m) in B by (unfold t; field; lra).
  lra.
Qed.
Lemma log_concave_loss_rises eps f m : log_concave f -> 0 < m ->
  upward (loss_above eps (fun x => f (x - m)) f).
Proof.
  intros [P C] M x y L. unfold loss_above. destruct (Rlt_dec _ _) as [h | h]; try discriminate. intros _.
  destruct (Rlt_dec _ _) as [k | k]; auto. exfalso. apply k.
  pose proof (concave_increments _ m x y C M L) as I. cbv beta in I.
  assert (E : ln (exp eps * f x) < ln (f (x - m))).
  { apply ln_increasing; auto. apply Rmult_lt_0_compat; auto. apply exp_pos. }
  rewrite ln_mult, ln_exp in E by (auto; apply exp_pos).
  apply ln_lt_inv; auto. apply Rmult_lt_0_compat; auto. apply exp_pos.
  rewrite ln_mult, ln_exp by (auto; apply exp_pos). lra.
Qed.
Lemma upward_half_line S : upward S -> half_line S.
Proof.
  intros U. destruct (Classical_Prop.classic (exists x, S x = true)) as [[a A] | N].
  2: { right. left. intros x. destruct (S x) eqn:E; auto. exfalso. apply N. now exists x. }
  destruct (Classical_Prop.classic (exists x, S x = false)) as [[b B] | N].
  2: { left. intros x. destruct (S x) eqn:E; auto. exfalso. apply N. now exists x. }
  right. right. destruct (completeness (fun x => S x = false)) as [t [T1 T2]].
  - exists a. intros x X. destruct (Rle_dec x a) as [h | h]; auto. exfalso.
    rewrite (U a x ltac:(lra) A) in X. discriminate.
  - now exists b.
  - exists t. intros x. split; intros X; destruct (S x) eqn:E; auto; exfalso.
    + assert (K : t <= x). 2: lra. apply T2. intros z Z. destruct (Rle_dec z x) as [k | k]; auto.
      rewrite (U x z ltac:(lra) E) in Z. discriminate.
    + specialize (T1 x E). lra.
Qed.
Lemma half_line_integrable p S : half_line S -> integrable_on_intervals p -> integrable_on_intervals (restricted S p).
Proof.
  intros H I.
  assert (Z : forall a b, a <= b -> (forall x, a < x < b -> S x = false) -> ex_RInt (restricted S p) a b).
  { intros a b L F. apply (ex_RInt_ext (fun _ => 0)). 2: apply ex_RInt_const. intros x.
    rewrite Rmin_left, Rmax_right by auto. intros X. unfold restricted. now rewrite F. }
  assert (F : forall a b, a <= b -> (forall x, a < x < b -> S x = true) -> ex_RInt (restricted S p) a b).
  { intros a b L F. apply (ex_RInt_ext p). 2: apply I. intros x.
    rewrite Rmin_left, Rmax_right by auto. intros X. unfold restricted. now rewrite F. }
  assert (W : forall a b, a <= b -> ex_RInt (restricted S p) a b).
  { intros a b L. destruct H as [A | [A | [t T]]]. now apply F. now apply Z.
    destruct (Rle_dec b t) as [B | B]. apply Z; auto. intros x X. apply T. lra.
    destruct (Rle_dec t a) as [A | A]. apply F; auto. intros x X. apply T. lra.
    apply (ex_RInt_Chasles (V := R_NormedModule) _ a t b).
    apply Z. lra. intros x X. apply T. lra. apply F. lra. intros x X. apply T. lra. }
  intros a b. destruct (Rle_dec a b) as [h | h]. now apply W. apply ex_RInt_swap, W. lra.
Qed.
Lemma half_line_probability p S : density p -> half_line S -> exists P, probability p S P.
Proof. intros D H. apply probability_exists; auto. apply half_line_integrable; auto. now destruct D as (_ & I & _). Qed.
Lemma density_shift f m : density f -> density (fun x => f (x - m)).
Proof.
  intros (N & I & H). split; [ | split]. intros x. apply N.
  - intros a b. apply (ex_RInt_ext (fun x => scal 1 (f (1 * x + - m)))).
    { intros x _. unfold scal; simpl; unfold mult; simpl. rewrite Rmult_1_l. f_equal. ring. }
    apply (ex_RInt_comp_lin (V := R_NormedModule)). apply I.
  - pose proof (integral_affine f 1 (- m) 1 ltac:(lra) H) as K. replace (1 / 1) with 1 in K by field.
    revert K. apply integral_ext. intros x. f_equal. ring.
Qed.
(* at every eps some half line gains the most of all tests, and no test of its size has more power *)
Theorem log_concave_half_lines f m eps : log_concave f -> density f -> 0 < m ->
  exists S P Q, half_line S /\ probability (fun x => f (x - m)) S P /\ probability f S Q /\
    forall g P' Q', is_test g -> rejects (fun x => f (x - m)) g P' -> rejects f g Q' ->
      P' - exp eps * Q' <= P - exp eps * Q /\ (Q' <= Q -> P' <= P).
Proof.
  intros L D M. set (p := fun x => f (x - m)). set (S := loss_above eps p f).
  assert (H : half_line S) by (now apply upward_half_line, log_concave_loss_rises).
  destruct (half_line_probability p S (density_shift f m D) H) as [P HP].
  destruct (half_line_probability f S D H) as [Q HQ].
  exists S, P, Q. repeat split; auto; intros.
  - exact (test_gain _ _ _ _ _ _ _ H0 H1 H2 (hockey_attained eps p f P Q HP HQ)).
  - exact (neyman_pearson eps p f g P' Q' P Q HP HQ H0 H1 H2 H3).
Qed.
