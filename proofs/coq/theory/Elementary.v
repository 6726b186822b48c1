(* Roots, exponentials, logarithms and erfc as variables with an equation and a sign, and the tactics that close
   equations between rational functions of such variables and read signs off products and sums. *)
From Coq Require Export Psatz ZArith Lia Lra.
From Dpref Require Export Real.
From Interval Require Export Tactic.
Open Scope R_scope.

(* ---------- from a form to what equals it ---------- *)
Lemma ge_eq a b : 0 <= a -> b = a -> 0 <= b. Proof. intros; subst; auto. Qed.
Lemma gt_eq a b : 0 < a -> b = a -> 0 < b. Proof. intros; subst; auto. Qed.
Lemma z_eq a b : a = 0 -> b = a -> b = 0. Proof. intros; subst; auto. Qed.
Lemma root_eq a b : a = b -> a - b = 0. Proof. lra. Qed.
Lemma even_pow x n : Nat.even n = true -> 0 <= x ^ n.
Proof. intros H. apply Nat.even_spec in H. destruct H as [k ->]. rewrite pow_mult. apply pow_le, pow2_ge_0. Qed.
Lemma zero_plus a b : a = 0 -> b = 0 -> a + b = 0. Proof. lra. Qed.

(* ---------- variables for roots, exponentials, logarithms ---------- *)
Lemma some_value (x : R) : exists y, x = y. Proof. now exists x. Qed.
Lemma exp_value x : exists y, 0 < y /\ exp x = y. Proof. exists (exp x). split; auto. apply exp_pos. Qed.
Lemma ln_value h : 0 < h -> exists l, exp l = h. Proof. intros. exists (ln h). now apply exp_ln. Qed.
Lemma root_value n f : 0 < f -> (0 < n)%nat -> exists y, 0 < y /\ y ^ n = f.
Proof.
  intros f0 n0. exists (exp (ln f / INR n)). split. apply exp_pos.
  rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp.
  replace (INR n * (ln f / INR n)) with (ln f). now apply exp_ln. field. now apply not_0_INR, Nat.neq_0_lt_0.
Qed.
Lemma root_weak n f : 0 <= f -> (0 < n)%nat -> exists y, 0 <= y /\ y ^ n = f.
Proof.
  intros [f0 | <-] n0. destruct (root_value n f f0 n0) as (y & y0 & e). exists y. split; lra.
  exists 0. split. lra. now apply pow_i.
Qed.
Lemma erfc_value x : exists y, 0 < y /\ y < 2 /\ erfc x = y.
Proof. exists (erfc x). split. apply erfc_positive. split; auto. apply erfc_below_two. Qed.

Lemma exp_nat a w n x : exp a = w -> x = IZR (Z.of_nat n) * a -> exp x = w ^ n.
Proof. intros <- ->. rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. now rewrite ln_exp, INR_IZR_INZ. Qed.
Lemma exp_reciprocal a w n x : exp a = w -> x = - IZR (Z.of_nat n) * a -> exp x = / w ^ n.
Proof.
  intros E ->. rewrite <- (exp_nat a w n _ E eq_refl), <- exp_Ropp. f_equal. ring.
Qed.
Lemma ln_of_pow x n : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof. intros. rewrite <- Rpower_pow by auto. unfold Rpower. apply ln_exp. Qed.
Lemma pow_injective n a b : 0 < a -> 0 <= b -> (0 < n)%nat -> a ^ n = b ^ n -> a = b.
Proof.
  intros a0 [b0 | <-] n0 E.
  - apply ln_inv; auto. apply (Rmult_eq_reg_l (INR n)). rewrite <- !ln_of_pow by auto. now rewrite E.
    now apply not_0_INR, Nat.neq_0_lt_0.
  - pose proof (pow_lt a n a0). rewrite pow_i in E by auto. lra.
Qed.
Lemma root_exp n l h w : exp l = h -> w ^ n = h -> 0 < w -> (0 < n)%nat -> exp (l / IZR (Z.of_nat n)) = w.
Proof.
  intros E W w0 n0. apply (pow_injective n); auto. apply exp_pos. lra. rewrite W, <- E.
  rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp, INR_IZR_INZ. f_equal. field.
  apply not_0_IZR. lia.
Qed.
Lemma root2_is x y : 0 <= y -> y ^ 2 = x -> sqrt x = y.
Proof. intros H <-. replace (y ^ 2) with (y * y) by ring. now apply sqrt_square. Qed.
Lemma root4_is x y : 0 <= y -> y ^ 4 = x -> sqrt (sqrt x) = y.
Proof. intros H E. apply root2_is; auto. symmetry. apply root2_is. apply pow2_ge_0. rewrite <- E. ring. Qed.
Lemma ln_is x y : exp y = x -> ln x = y. Proof. intros <-. apply ln_exp. Qed.
Lemma erfc_flip x y : x = - y -> erfc x = 2 - erfc y. Proof. intros ->. apply erfc_opp. Qed.
Lemma tanh_exp x : tanh x = (exp (2 * x) - 1) / (exp (2 * x) + 1).
Proof.
  unfold tanh, sinh, cosh. replace (exp (2 * x)) with (exp x * exp x) by (rewrite <- exp_plus; f_equal; ring).
  rewrite exp_Ropp. pose proof (exp_pos x). field. split; nra.
Qed.

(* ---------- on which side of 1 or 0 ---------- *)
Lemma exp_above m n w : exp (m / n) = w -> 0 < m -> 0 < n -> 1 < w.
Proof. intros <- M N. rewrite <- exp_0. apply exp_increasing. now apply Rdiv_lt_0_compat. Qed.
Lemma exp_above_weak m n w : exp (m / n) = w -> 0 <= m -> 0 < n -> 1 <= w.
Proof. intros E [M | <-] N. left. now apply (exp_above m n). right. rewrite <- E. unfold Rdiv. now rewrite Rmult_0_l, exp_0. Qed.
Lemma exp_below m n w : exp (m / n) = w -> 0 < - m -> 0 < n -> w < 1.
Proof.
  intros <- M N. rewrite <- exp_0. apply exp_increasing. assert (0 < - m / n) by now apply Rdiv_lt_0_compat.
  unfold Rdiv in *. lra.
Qed.
Lemma exp_below_weak m n w : exp (m / n) = w -> 0 <= - m -> 0 < n -> w <= 1.
Proof. intros E [M | M] N. left. now apply (exp_below m n). right. rewrite <- E. replace m with 0 by lra. unfold Rdiv. now rewrite Rmult_0_l, exp_0. Qed.
Lemma log_above l h : exp l = h -> 0 < h - 1 -> 0 < l.
Proof. intros <- H. apply exp_lt_inv. rewrite exp_0. lra. Qed.
Lemma log_above_weak l h : exp l = h -> 0 <= h - 1 -> 0 <= l.
Proof. intros <- [H | H]. left. now apply (log_above l (exp l)). right. symmetry. apply exp_inv. rewrite exp_0. lra. Qed.
Lemma log_below l h : exp l = h -> 0 < - (h - 1) -> l < 0.
Proof. intros <- H. apply exp_lt_inv. rewrite exp_0. lra. Qed.
Lemma log_below_weak l h : exp l = h -> 0 <= - (h - 1) -> l <= 0.
Proof. intros <- [H | H]. left. now apply (log_below l (exp l)). right. apply exp_inv. rewrite exp_0. lra. Qed.
Lemma pow_above n w f : w ^ n = f -> 0 <= w -> 0 < f - 1 -> 1 < w.
Proof. intros <- W H. destruct (Rlt_or_le 1 w); auto. assert (w ^ n <= 1 ^ n) by now apply pow_incr. rewrite pow1 in *. lra. Qed.
Lemma pow_above_weak n w f : w ^ n = f -> (0 < n)%nat -> 0 <= w -> 0 <= f - 1 -> 1 <= w.
Proof.
  intros <- N W H. destruct (Rle_or_lt 1 w); auto. destruct W as [W | <-].
  - assert (w ^ n < 1); [ | lra]. destruct n; [lia | ]. apply pow_lt_1_compat; [lra | lia].
  - rewrite pow_i in H by auto. lra.
Qed.
Lemma pow_below n w f : w ^ n = f -> 0 <= w -> 0 < - (f - 1) -> w < 1.
Proof. intros <- W H. destruct (Rlt_or_le w 1); auto. pose proof (pow_R1_Rle w n H0). lra. Qed.
Lemma pow_below_weak n w f : w ^ n = f -> (0 < n)%nat -> 0 <= w -> 0 <= - (f - 1) -> w <= 1.
Proof. intros <- N W H. destruct (Rle_or_lt w 1); auto. pose proof (Rlt_pow_R1 w n H0 N). lra. Qed.
Lemma erfc_above u y : erfc u = y -> 0 < - u -> 1 < y.
Proof. intros <- H. rewrite <- erfc_0. apply erfc_decreasing. lra. Qed.
Lemma erfc_above_weak u y : erfc u = y -> 0 <= - u -> 1 <= y.
Proof. intros <- [H | H]. left. now apply (erfc_above u). right. replace u with 0 by lra. now rewrite erfc_0. Qed.
Lemma erfc_below u y : erfc u = y -> 0 < - - u -> y < 1.
Proof. intros <- H. rewrite <- erfc_0. apply erfc_decreasing. lra. Qed.
Lemma erfc_below_weak u y : erfc u = y -> 0 <= - - u -> y <= 1.
Proof. intros <- [H | H]. left. now apply (erfc_below u). right. replace u with 0 by lra. now rewrite erfc_0. Qed.
Lemma PI_bounds : 3 < PI < 4. Proof. split; interval with (i_prec 60). Qed.

(* ---------- signs that can be read off ---------- *)
Ltac weak := first [assumption | left; assumption | lazymatch goal with
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; weak
  | |- 0 <= _ * _ => apply Rmult_le_pos; weak
  | |- 0 <= _ ^ _ => first [apply even_pow; reflexivity | apply pow_le; weak]
  | |- 0 <= / _ => left; apply Rinv_0_lt_compat; strict
  end | lra ]
with strict := first [assumption | lazymatch goal with
  | |- 0 < _ + _ => first [apply Rplus_lt_le_0_compat; [solve [strict] | weak] | apply Rplus_le_lt_0_compat; [weak | solve [strict]]]
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; strict
  | |- 0 < _ ^ _ => apply pow_lt; strict
  | |- 0 < / _ => apply Rinv_0_lt_compat; strict
  end | lra ].
(* a sum of signed summands *)
Ltac add_up := first [reflexivity | assumption | left; assumption | right; symmetry; assumption | apply Rle_refl
  | lazymatch goal with
    | |- _ + _ = 0 => apply zero_plus; add_up
    | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; add_up
    | |- 0 < _ + _ => first [apply Rplus_lt_le_0_compat; [solve [add_up] | add_up] | apply Rplus_le_lt_0_compat; [add_up | solve [add_up]]]
    end ].

(* ---------- equations of rational functions ---------- *)
Ltac nonzero_one := first
  [ exact I | assumption
  | match goal with |- ?x <> 0 => is_var x; first [apply Rgt_not_eq; assumption | apply Rlt_not_eq; assumption] end
  | apply Rgt_not_eq; unfold Rgt; solve [strict]
  | apply Rlt_not_eq; lra | apply Rgt_not_eq; unfold Rgt; nra | apply Rlt_not_eq; nra ].
Ltac nonzero := repeat match goal with |- _ /\ _ => split end; nonzero_one.
Ltac by_field := first [reflexivity | solve [ring] | solve [field; nonzero]].
Ltac by_count := cbv [Z.of_nat Pos.of_succ_nat Pos.succ]; by_field.
Lemma lt_of_gap a b : 0 < b - a -> a < b. Proof. lra. Qed.
Lemma le_of_gap a b : 0 <= b - a -> a <= b. Proof. lra. Qed.
