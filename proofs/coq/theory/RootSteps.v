(* Claims about roots, powers and sums over sequences, proved by hand where the scripts find no proof
   Each theorem is a claim of a certificate in the words of its translator, whose proof takes it from here; a
     theorem of
   another statement is refused.  Here: the step size of dp-erm-revisited/P24, and of dynamic-privacy-budget the
     optimal
   split (PO-10), momentum (PO-14, PO-15) and moving averages (PO-43). *)
From Coq Require Import Reals Lra Psatz List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Points.
Open Scope R_scope.

(* ---------- two roots of one number ---------- *)
Theorem step_size gap d eta L c G p m Lambda n eps x : 0 < gap -> 0 < d -> 0 < eta -> 0 < L -> 0 < c -> 0 < G ->
  0 < p -> 0 < m -> 0 < Lambda -> 0 < n -> 0 < eps -> 0 < x ->
  G <> 0 /\ Lambda <> 0 /\ c <> 0 /\ m <> 0 /\ p <> 0 /\ eta <> 0
  /\ 0 < L * / G ^ 2 * / Lambda * / c * eps ^ 2 * / m * n ^ 2 * / p * (2 * gap + 3 / 4 * d * / eta * / m)
  /\ eps <> 0 /\ n <> 0 /\ L <> 0 /\ 0 <= Lambda * c * m * p * / L * (2 * gap + 3 / 4 * d * / eta * / m)
  /\ 0 <= L * / G ^ 2 * / Lambda * / c * eps ^ 2 * / m * n ^ 2 * / p * (2 * gap + 3 / 4 * d * / eta * / m)
  /\ gap * / sqrt (L * / G ^ 2 * / Lambda * / c * eps ^ 2 * / m * n ^ 2 * / p * (2 * gap + 3 / 4 * d * / eta * / m))
     + -1 * G * / eps * / n * sqrt (Lambda * c * m * p * / L * (2 * gap + 3 / 4 * d * / eta * / m))
     + 3 / 8 * d * / eta * / m
       * / sqrt (L * / G ^ 2 * / Lambda * / c * eps ^ 2 * / m * n ^ 2 * / p * (2 * gap + 3 / 4 * d * / eta * / m))
     + 1 / 2 * Lambda * c * m * p * G ^ 2 * / L * / eps ^ 2 * / n ^ 2
       * sqrt (L * / G ^ 2 * / Lambda * / c * eps ^ 2 * / m * n ^ 2 * / p * (2 * gap + 3 / 4 * d * / eta * / m)) = 0.
Proof.
  intros. assert (Q : 0 < 3 / 4 * d * / eta * / m) by (repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat;
    lra).
  assert (K : gap * 2 + 3 / 8 * d * / eta * / m * 2 = 2 * gap + 3 / 4 * d * / eta * / m) by (field; lra).
  set (S := 2 * gap + 3 / 4 * d * / eta * / m) in *. assert (S0 : 0 < S) by (unfold S; lra).
  assert (A0 : 0 < Lambda * c * m * p * / L) by (repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra).
  set (A := Lambda * c * m * p * / L) in *. set (r := sqrt (A * S)).
  assert (R2 : r * r = A * S) by (apply sqrt_sqrt; nra). assert (R0 : 0 < r) by (apply sqrt_lt_R0; nra).
  assert (E : L * / G ^ 2 * / Lambda * / c * eps ^ 2 * / m * n ^ 2 * / p * S
    = eps * n * r * / (G * A) * (eps * n * r * / (G * A))).
  { transitivity (eps ^ 2 * n ^ 2 * (r * r) * / (G ^ 2 * (A * A))). rewrite R2. unfold A. field. repeat split; lra.
    field. lra. }
  assert (V : 0 < eps * n * r * / (G * A)).
  { repeat apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. nra. }
  rewrite E, sqrt_square by lra. set (v := eps * n * r * / (G * A)) in *.
  repeat split; try lra; try nra.
  replace (1 / 2 * Lambda * c * m * p * G ^ 2 * / L) with (1 / 2 * A * G ^ 2) by (unfold A; ring).
  transitivity (S * / (2 * v) - G * r * / (2 * eps * n)). unfold v. rewrite <- K. field. repeat split; lra.
  replace S with (r * r / A) by (rewrite R2; field; lra). unfold v. field. repeat split; lra.
Qed.

(* ---------- roots ---------- *)
Theorem root_below_one gamma : 0 <= gamma -> gamma < 1 -> 0 <= gamma /\ 1 + -1 * sqrt gamma <> 0
  /\ 1 + -1 * gamma <> 0 /\ 0 <= / (1 + -1 * sqrt gamma) + -1 * / (1 + -1 * gamma).
Proof.
  intros G0 G1. assert (S1 : sqrt gamma < 1) by (rewrite <- sqrt_1; apply sqrt_lt_1; lra).
  pose proof (sqrt_pos gamma). pose proof (sqrt_sqrt gamma G0). repeat split; try lra.
  enough (/ (1 + -1 * gamma) <= / (1 + -1 * sqrt gamma)) by lra. apply Rinv_le_contravar; nra.
Qed.
Theorem root_of_product kappa : 1 < kappa -> kappa <> 0 /\ 0 <= 1 + -1 * / kappa /\ 0 <= kappa * (-1 + kappa)
  /\ kappa ^ 2 * (1 + sqrt (1 + -1 * / kappa)) ^ 2 = kappa * (-1 + 2 * kappa + 2 * sqrt (kappa * (-1 + kappa)))
  /\ kappa ^ 2 * (1 + sqrt (1 + -1 * / kappa)) ^ 2 + -1 * kappa * (-1 + 2 * kappa + 2 * sqrt (kappa * (-1 +
    kappa))) = 0.
Proof.
  intros H. assert (I : 0 < / kappa < 1).
  { split. apply Rinv_0_lt_compat; lra. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  set (r := sqrt (1 + -1 * / kappa)). assert (R2 : r * r = 1 + -1 * / kappa) by (apply sqrt_sqrt; lra).
  assert (R0 : 0 <= r) by apply sqrt_pos.
  assert (Root : sqrt (kappa * (-1 + kappa)) = kappa * r).
  { rewrite <- (sqrt_square (kappa * r)) by nra. f_equal.
    transitivity (kappa * kappa * (r * r)). rewrite R2. field. lra. ring. }
  rewrite Root. assert (E : kappa ^ 2 * (1 + r) ^ 2 = kappa * (-1 + 2 * kappa + 2 * (kappa * r))).
  { transitivity (kappa * kappa * (1 + 2 * r + r * r)). ring. rewrite R2. field. lra. }
  rewrite E. repeat split; try lra; nra.
Qed.
Theorem momentum_bound_attained kappa alpha : 1 < kappa -> 0 < alpha -> alpha <> 0 /\ kappa <> 0
  /\ 0 <= 1 + -1 * / kappa /\ 1 + / alpha * (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2 <> 0
  /\ 1 + -1 * sqrt (1 + -1 * / kappa) <> 0 /\ 1 + alpha * / (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2 <> 0
  /\ / (1 + / alpha * (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2) ^ 2
     + alpha * / (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2
       * (1 + -1 * / (1 + / alpha * (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2)) ^ 2
     + -1 * alpha * / (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2
       * / (1 + alpha * / (1 + -1 * sqrt (1 + -1 * / kappa)) ^ 2) = 0.
Proof.
  intros K A. assert (I : 0 < / kappa < 1).
  { split. apply Rinv_0_lt_compat; lra. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  assert (S1 : sqrt (1 + -1 * / kappa) < 1) by (rewrite <- sqrt_1 at 2; apply sqrt_lt_1; lra).
  set (r := 1 + -1 * sqrt (1 + -1 * / kappa)). assert (R0 : 0 < r) by (unfold r; lra). clearbody r.
  assert (B : 0 < r ^ 2) by (apply pow_lt; lra). pose proof (Rinv_0_lt_compat _ A). pose proof (Rinv_0_lt_compat _ B).
  repeat split; try lra; try nra. assert (r ^ 2 + alpha <> 0) by lra. field. repeat split; nra.
Qed.

(* ---------- powers with real exponents ---------- *)
Lemma Rpower_le_base a b x : 0 < a -> a <= b -> 0 <= x -> Rpower a x <= Rpower b x.
Proof. intros. apply Rle_Rpower_l; lra. Qed.
Lemma Rpower_falls g x y : 0 < g -> g < 1 -> x <= y -> Rpower g y <= Rpower g x.
Proof.
  intros G0 G1 H. unfold Rpower. apply exp_le. assert (ln g < 0) by (rewrite <- ln_1; apply ln_increasing; lra). nra.
Qed.
Lemma denominator b g : 0 < g -> g < 1 -> 0 < b -> b < 1 -> 0 < g + -1 * b ^ 2 * g ^ 2.
Proof. intros. assert (b ^ 2 < 1) by nra. assert (0 < b ^ 2) by nra. assert (b ^ 2 * g < 1) by nra. nra. Qed.
Theorem moving_average g b h s m : 0 < g -> g < 1 -> 0 < b -> b < 1 -> 0 <= s -> 0 <= m ->
  g <> 0 /\ 0 < g /\ g + -1 * b ^ 2 * g ^ 2 <> 0 /\ 0 < b * g
  /\ 0 <= / g * Rpower g (m + -1 * s + 2 * h) * / (g + -1 * b ^ 2 * g ^ 2)
     + -1 * Rpower g (-2 + 2 * h) * Rpower (b * g) (2 + 2 * s) * / (g + -1 * b ^ 2 * g ^ 2)
       * (Rpower g m + -1 * Rpower (b * g) (2 * m)).
Proof.
  intros G0 G1 B0 B1 S0 M0. pose proof (denominator b g G0 G1 B0 B1) as D.
  repeat split; try lra; try nra.
  assert (P : / g = Rpower g (-1)).
  { replace (-1) with (- (1)) by lra. now rewrite Rpower_Ropp, Rpower_1. }
  assert (First : / g * Rpower g (m + -1 * s + 2 * h) = Rpower g (-2 + 2 * h) * (Rpower g m * Rpower g (1 + -1 * s))).
  { rewrite P, <- !Rpower_plus. f_equal. ring. }
  assert (H : Rpower (b * g) (2 + 2 * s) <= Rpower g (1 + -1 * s)).
  { apply Rle_trans with (Rpower g (2 + 2 * s)). apply Rpower_le_base; nra. apply Rpower_falls; lra. }
  pose proof (exp_pos ((-2 + 2 * h) * ln g)) as X. fold (Rpower g (-2 + 2 * h)) in X.
  pose proof (exp_pos (m * ln g)) as Y. fold (Rpower g m) in Y.
  pose proof (exp_pos ((2 + 2 * s) * ln (b * g))) as Z. fold (Rpower (b * g) (2 + 2 * s)) in Z.
  pose proof (exp_pos (2 * m * ln (b * g))) as W. fold (Rpower (b * g) (2 * m)) in W.
  rewrite First. match goal with |- 0 <= ?t => replace t with (Rpower g (-2 + 2 * h) * / (g + -1 * b ^ 2 * g ^ 2)
    * (Rpower g m * (Rpower g (1 + -1 * s) - Rpower (b * g) (2 + 2 * s)) + Rpower (b * g) (2 + 2 * s) * Rpower (b *
      g) (2 * m)))
    by ring end.
  apply Rmult_le_pos. apply Rmult_le_pos. lra. left. now apply Rinv_0_lt_compat.
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

(* ---------- sums over a sequence ---------- *)
Definition split_budget (l : list (R * R)) := forall p, In p l -> let '(q, a) := p in 0 < q /\ 0 < a.
Lemma sum_of_squares t : 0 < t -> forall l, split_budget l ->
  0 <= t ^ 2 * total (fun '(q, a) => / a) l + -2 * t * total (fun '(q, a) => sqrt q) l + total (fun '(q, a) => a *
    q) l.
Proof.
  intros T. induction l as [ | [q a] l IH]; intros H; simpl. lra.
  specialize (IH (fun p I => H p (or_intror I))). destruct (H (q, a) (or_introl eq_refl)) as [Q A].
  assert (S2 : sqrt q * sqrt q = q) by (apply sqrt_sqrt; lra). pose proof (Rinv_0_lt_compat _ A) as I.
  assert (H0 : 0 <= t ^ 2 * / a + -2 * t * sqrt q + a * q).
  { replace (t ^ 2 * / a + -2 * t * sqrt q + a * q) with (/ a * (t - a * sqrt q) ^ 2).
    apply Rmult_le_pos. lra. apply pow2_ge_0.
    transitivity (t ^ 2 * / a + -2 * t * sqrt q + a * (sqrt q * sqrt q)). field. lra. now rewrite S2. }
  eapply Rle_trans. apply (Rplus_le_le_0_compat _ _ H0 IH). right. unfold total. ring.
Qed.
Lemma parts_defined (l : list (R * R)) : split_budget l -> (forall p, In p l -> let '(q, a) := p in a <> 0)
  /\ (forall p, In p l -> let '(q, a) := p in 0 <= q).
Proof. intros H. split; intros [q a] I; destruct (H _ I); lra. Qed.
Theorem best_split_at t : 0 < t -> forall l : list (R * R), l <> nil -> split_budget l ->
  (forall p, In p l -> let '(q, a) := p in a <> 0) /\ (forall p, In p l -> let '(q, a) := p in 0 <= q)
  /\ 0 <= t ^ 2 * total (fun '(q, a) => / a) l + -2 * t * total (fun '(q, a) => sqrt q) l
     + total (fun '(q, a) => a * q) l.
Proof. intros T l _ H. destruct (parts_defined l H). repeat split; auto. now apply sum_of_squares. Qed.
Theorem best_split (l : list (R * R)) : l <> nil -> split_budget l ->
  (forall p, In p l -> let '(q, a) := p in a <> 0) /\ total (fun '(q, a) => / a) l <> 0
  /\ (forall p, In p l -> let '(q, a) := p in 0 <= q)
  /\ 0 <= -1 * / total (fun '(q, a) => / a) l * total (fun '(q, a) => sqrt q) l ^ 2 + total (fun '(q, a) => a * q) l.
Proof.
  intros N H. destruct (parts_defined l H). assert (P : forall l, split_budget l -> l <> nil ->
    0 < total (fun '(q, a) => / a) l /\ 0 < total (fun '(q, a) => sqrt q) l).
  { clear. induction l as [ | [q a] l IH]; intros H N. easy. destruct (H (q, a) (or_introl eq_refl)) as [Q A].
    pose proof (Rinv_0_lt_compat _ A). pose proof (sqrt_lt_R0 _ Q). destruct l as [ | p l]. simpl; lra.
    destruct (IH (fun p I => H p (or_intror I))). discriminate. simpl in *. lra. }
  destruct (P l H N) as [A B]. pose proof (sum_of_squares (total (fun '(q, a) => sqrt q) l / total (fun '(q, a) =>
    / a) l)
    ltac:(now apply Rdiv_lt_0_compat) l H) as K.
  repeat split; auto. lra. set (x := total (fun '(q, a) => / a) l) in *. set (y := total (fun '(q, a) => sqrt q) l)
    in *.
  replace (-1 * / x * y ^ 2) with ((y / x) ^ 2 * x + -2 * (y / x) * y) by (field; lra). exact K.
Qed.
