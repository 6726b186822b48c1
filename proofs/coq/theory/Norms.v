(** * Norms of finite sequences, and the mean value theorem

    Proved here, with no limit to finite output spaces: the norms l_r of a vector fall with r, and grow by at most a
      power
    of the dimension (Hoelder); the mean value theorem for a function with a bounded derivative. *)
From Dpref Require Import Finite Convexity Conversion.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** Norms *)

(** x^r for x >= 0: zero at zero. *)
Definition power x r := if Req_EM_T x 0 then 0 else Rpower x r.
Lemma power_nonneg x r : 0 <= power x r.
Proof. unfold power. destruct (Req_EM_T x 0). lra. left; apply Rpower_pos. Qed.
Definition power_sum {I} (l : list I) r (x : I -> R) := sum_over l (fun i => power (Rabs (x i)) r).
Definition norm {I} (l : list I) r (x : I -> R) := power (power_sum l r x) (/ r).
Lemma power_sum_nonneg {I} (l : list I) r x : 0 <= power_sum l r x.
Proof. apply sum_nonneg. intros. apply power_nonneg. Qed.
Lemma power_mono x y r : 0 <= r -> 0 <= x <= y -> power x r <= power y r.
Proof.
  intros R0 [X Y]. unfold power. destruct (Req_EM_T x 0) as [-> | N]. destruct (Req_EM_T y 0). lra. left;
    apply Rpower_pos.
  destruct (Req_EM_T y 0). lra. apply Rle_Rpower_l; lra.
Qed.
(** $\|x\|_q\le\|x\|_r$ for $r\le q$. *)
Theorem norm_antitone {I} (l : list I) r q (x : I -> R) : 0 < r -> r <= q -> norm l q x <= norm l r x.
Proof.
  intros R0 Q. unfold norm. destruct (power_sum_nonneg l r x) as [S | S].
  2: { (* every entry is zero *)
    assert (Z : power_sum l q x = 0).
    { transitivity (sum_over l (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros i J.
      pose proof (sum_is_zero l _ i (fun b _ => power_nonneg (Rabs (x b)) r) (eq_sym S) J) as E. simpl in E.
      unfold power in *. destruct (Req_EM_T (Rabs (x i)) 0); auto. pose proof (Rpower_pos (Rabs (x i)) r). lra. }
    rewrite Z, <- S. unfold power. destruct (Req_EM_T 0 0); lra. }
  set (s := power_sum l r x) in *.
  assert (B : power_sum l q x <= Rpower s (q / r)).
  { apply Rle_trans with (sum_over l (fun i => Rpower s (q / r - 1) * power (Rabs (x i)) r)).
    - apply sum_le. intros i J. pose proof (sum_one l _ i J (fun b _ => power_nonneg (Rabs (x b)) r)) as L.
      simpl in L.
      fold (power_sum l r x) in L. fold s in L. unfold power in *. destruct (Req_EM_T (Rabs (x i)) 0). lra.
      pose proof (Rabs_pos (x i)). assert (A : 0 < Rabs (x i)) by lra.
      replace (Rpower (Rabs (x i)) q) with (Rpower (Rpower (Rabs (x i)) r) (q / r - 1) * Rpower (Rabs (x i)) r).
      + apply Rmult_le_compat_r. left; apply Rpower_pos. apply Rle_Rpower_l.
        apply Rle_trans with (r / r - 1). right; field; lra. unfold Rdiv. apply Rplus_le_compat_r.
        apply Rmult_le_compat_r; auto.
        left; now apply Rinv_0_lt_compat. split; auto. apply Rpower_pos.
      + rewrite Rpower_mult, <- Rpower_plus. f_equal. field. lra.
    - rewrite sum_scal. fold (power_sum l r x). fold s. right. rewrite <- (Rpower_1 s) at 2 by auto.
      rewrite <- Rpower_plus. f_equal. ring. }
  apply Rle_trans with (power (Rpower s (q / r)) (/ q)).
  - apply power_mono. left; apply Rinv_0_lt_compat; lra. split; auto. apply power_sum_nonneg.
  - unfold power. destruct (Req_EM_T (Rpower s (q / r)) 0) as [E | _]. pose proof (Rpower_pos s (q / r)). lra.
    destruct (Req_EM_T s 0). lra. rewrite Rpower_mult. right. f_equal. field. lra.
Qed.
(** $\|x\|_r\le d^{1/r-1/q}\|x\|_q$ for $r\le q$. *)
Theorem norm_dimension {I} (l : list I) r q (x : I -> R) : l <> [] -> 0 < r -> r <= q ->
  norm l r x <= Rpower (INR (length l)) (/ r - / q) * norm l q x.
Proof.
  intros N R0 Q. set (d := INR (length l)). assert (D : 1 <= d).
  { unfold d. destruct l; [easy | ]. simpl length. rewrite S_INR. pose proof (pos_INR (length l)). lra. }
  destruct (power_sum_nonneg l q x) as [S | S].
  2: { assert (Z : power_sum l r x = 0).
    { transitivity (sum_over l (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros i J.
      pose proof (sum_is_zero l _ i (fun b _ => power_nonneg (Rabs (x b)) q) (eq_sym S) J) as E. simpl in E.
      unfold power in *. destruct (Req_EM_T (Rabs (x i)) 0); auto. pose proof (Rpower_pos (Rabs (x i)) q). lra. }
    unfold norm. rewrite Z, <- S. unfold power. destruct (Req_EM_T 0 0); lra. }
  assert (H : power_sum l r x <= exp (r / q * ln (power_sum l q x) + (1 - r / q) * ln d)).
  { assert (T : 0 <= r / q <= 1).
    { split. left; apply Rdiv_lt_0_compat; lra. apply (Rmult_le_reg_r q). lra. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l; lra. }
    apply (hoelder l (r / q) _ _ (fun i => power (Rabs (x i)) q) (fun _ => 1)); auto.
    - intros. apply power_nonneg. - intros. lra.
    - intros i _. unfold power. destruct (Req_EM_T (Rabs (x i)) 0) as [E | E]; [left; lra | right].
      pose proof (Rabs_pos (x i)). repeat split. apply Rpower_pos. lra. right. rewrite Rpower_mult.
      unfold Rpower at 3.
      rewrite ln_1, Rmult_0_r, exp_0, Rmult_1_r. f_equal. field. lra.
    - rewrite exp_ln by auto. apply Rle_refl.
    - rewrite exp_ln by lra. right. unfold d. clear. induction l; simpl sum_over. reflexivity. simpl length.
      rewrite S_INR, IHl. ring. }
  unfold norm. apply Rle_trans with (power (exp (r / q * ln (power_sum l q x) + (1 - r / q) * ln d)) (/ r)).
  - apply power_mono. left; now apply Rinv_0_lt_compat. split; auto. apply power_sum_nonneg.
  - unfold power. destruct (Req_EM_T (exp _) 0) as [E | _].
    pose proof (exp_pos (r / q * ln (power_sum l q x) + (1 - r / q) * ln d)). lra.
    destruct (Req_EM_T (power_sum l q x) 0). lra. unfold Rpower. rewrite ln_exp, <- exp_plus. right. f_equal. field.
    lra.
Qed.

(** ** The mean value theorem *)

(** A function whose derivative lies between mu and beta moves by between mu and beta times its argument's move. *)
Theorem bounded_derivative f df mu beta a b : (forall x, is_derive f x (df x)) -> (forall x, mu <= df x <= beta) ->
  a <= b ->
  mu * (b - a) <= f b - f a <= beta * (b - a).
Proof.
  intros D B H. destruct (mean_value f df a b D H) as (c & _ & E). specialize (B c). rewrite E.
  split; apply Rmult_le_compat_r; lra.
Qed.
(** $\mu|a-b|\le|f(a)-f(b)|\le\beta|a-b|$ where $\mu\le f'\le\beta$. *)
Corollary lipschitz f df mu beta a b : 0 <= mu -> (forall x, is_derive f x (df x)) ->
  (forall x, mu <= df x <= beta) ->
  mu * Rabs (a - b) <= Rabs (f a - f b) <= beta * Rabs (a - b).
Proof.
  intros M D B. destruct (Rle_lt_dec a b) as [H | H].
  - pose proof (bounded_derivative f df mu beta a b D B H).
    rewrite (Rabs_minus_sym a b), (Rabs_minus_sym (f a) (f b)).
    assert (0 <= mu * (b - a)) by (apply Rmult_le_pos; lra). rewrite !Rabs_right by lra. lra.
  - pose proof (bounded_derivative f df mu beta b a D B ltac:(lra)).
    assert (0 <= mu * (a - b)) by (apply Rmult_le_pos; lra). rewrite !Rabs_right by lra. lra.
Qed.
