(* Claims about privacy curves, proved by hand where the scripts find no proof: trade-off functions
   Each theorem is a claim of a certificate in the words of its translator, whose proof takes it from here; a
     theorem of
   another statement is refused.  Here: the Gaussian trade-off function is attained (composition/trade-off). *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Points.
Open Scope R_scope.

(* ---------- trade-off functions: Phi(x) + Phi(-x) = 1 ---------- *)
Lemma halves u v : u = - v -> 1 / 2 * erfc u + 1 / 2 * erfc v = 1.
Proof. intros ->. rewrite erfc_opp. lra. Qed.
Lemma edge_opp mu eps : 0 < mu ->
  1 / 2 * sqrt 2 * (1 / 2 * mu + -1 * eps * / mu) = - (1 / 2 * sqrt 2 * (-1 / 2 * mu + eps * / mu)).
Proof. intros. field. lra. Qed.
Theorem trade_off_1 eps mu : 0 < mu -> 0 <= 2 /\ mu <> 0 /\ 0 <= -1
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * mu + -1 * eps * / mu))
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (-1 / 2 * mu + eps * / mu)).
Proof. intros M. pose proof (halves _ _ (edge_opp mu eps M)). repeat split; lra. Qed.
Theorem trade_off_2 eps mu : 0 < mu -> 0 <= 2 /\ mu <> 0 /\ 0 <= 1
  + -1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * mu + -1 * eps * / mu))
  + -1 / 2 * erfc (1 / 2 * sqrt 2 * (-1 / 2 * mu + eps * / mu)).
Proof. intros M. pose proof (halves _ _ (edge_opp mu eps M)). repeat split; lra. Qed.
(* a (Phi(u) - Phi(v)) grows where the two densities are in order *)
Lemma curve_grows eps a b r y : 0 <= y -> (forall c, 0 < c < y ->
    0 <= r * (exp eps * exp (- (1 / 2 * ((b - r * c) * (b - r * c)))) - exp (- (1 / 2 * ((a + r * c) * (a + r *
      c)))))) ->
  1 / 2 * erfc (1 / 2 * sqrt 2 * a) + exp eps * (1 / 2 * erfc (1 / 2 * sqrt 2 * b))
  <= 1 / 2 * erfc (1 / 2 * sqrt 2 * (a + r * y)) + exp eps * (1 / 2 * erfc (1 / 2 * sqrt 2 * (b - r * y))).
Proof.
  intros Y G. set (s := 1 / 2 * sqrt 2). assert (S2 : s * s = 1 / 2).
  { unfold s. pose proof (sqrt_sqrt 2 ltac:(lra)). nra. }
  assert (S0 : 0 < s / sqrt PI). { apply Rdiv_lt_0_compat. unfold s. pose proof (sqrt_lt_R0 2). lra. apply
    sqrt_PI_pos. }
  set (h := fun t => 1 / 2 * erfc (s * (a + r * t)) + exp eps * (1 / 2 * erfc (s * (b - r * t)))).
  set (dh := fun t => s / sqrt PI * (r * (exp eps * exp (- (1 / 2 * ((b - r * t) * (b - r * t))))
    - exp (- (1 / 2 * ((a + r * t) * (a + r * t))))))).
  assert (D : forall t, is_derive h t (dh t)).
  { intros t. unfold h, dh.
    replace (- (1 / 2 * ((b - r * t) * (b - r * t)))) with (- (s * (b - r * t) * (s * (b - r * t)))) by (rewrite <-
      S2; ring).
    replace (- (1 / 2 * ((a + r * t) * (a + r * t)))) with (- (s * (a + r * t) * (s * (a + r * t)))) by (rewrite <-
      S2; ring).
    auto_derive. repeat split; eexists; apply is_derive_erfc.
    assert (Q : forall z, -1 * z = - z) by (intros; ring). rewrite !Q.
    change (b + - (r * t)) with (b - r * t). field. pose proof sqrt_PI_pos; lra. }
  enough (0 <= h y - h 0) as E. { unfold h in E. rewrite !Rmult_0_r, Rplus_0_r, Rminus_0_r in E. lra. }
  apply (mono_up_ge (fun t => h t - h 0) dh 0 y); auto; try lra.
  - intros c _. pose proof (is_derive_minus h (fun _ => h 0) c _ _ (D c) (is_derive_const _ _)) as K.
    unfold minus, plus, opp, zero in K; simpl in K. rewrite Ropp_0, Rplus_0_r in K. exact K.
  - intros c _. apply continuity_pt_minus. apply continuity_pt_filterlim, (ex_derive_continuous h). exists (dh c).
    apply D.
    apply continuity_pt_const. intros ? ?. reflexivity.
  - intros c C. unfold dh. apply Rmult_le_pos. lra. now apply G.
Qed.
Theorem trade_off_3 eps mu y : 0 < mu -> 0 <= y -> 0 <= 2 /\ mu <> 0 /\ 0 <= -1
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (-1 / 2 * mu + eps * / mu))
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * mu + -1 * y + -1 * eps * / mu))
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (y + 1 / 2 * mu + eps * / mu)) * exp eps
  + -1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * mu + eps * / mu)) * exp eps.
Proof.
  intros M Y. split; [lra | split; [lra | ]]. pose proof (halves _ _ (edge_opp mu eps M)) as H.
  pose proof (curve_grows eps (1 / 2 * mu + -1 * eps * / mu) (1 / 2 * mu + eps * / mu) (-1) y Y) as G.
  replace (1 / 2 * mu + -1 * y + -1 * eps * / mu) with (1 / 2 * mu + -1 * eps * / mu + -1 * y) by ring.
  replace (y + 1 / 2 * mu + eps * / mu) with (1 / 2 * mu + eps * / mu - -1 * y) by ring.
  enough (P : forall c, 0 < c < y -> 0 <= -1 *
    (exp eps * exp (- (1 / 2 * ((1 / 2 * mu + eps * / mu - -1 * c) * (1 / 2 * mu + eps * / mu - -1 * c))))
     - exp (- (1 / 2 * ((1 / 2 * mu + -1 * eps * / mu + -1 * c) * (1 / 2 * mu + -1 * eps * / mu + -1 * c))))))
    by (specialize (G P); lra).
  intros c C. set (u := _ * (_ * _)). set (v := _ * (_ * _)).
  enough (exp eps * exp (- u) <= exp (- v)) by lra. rewrite <- exp_plus. apply exp_le.
  enough (eps + v - u <= 0) by lra. unfold u, v. assert (0 <= mu * c) by nra.
  replace (eps + _ - _) with (- (mu * c)) by (field; lra). lra.
Qed.
Theorem trade_off_4 eps mu y : 0 < mu -> 0 <= y -> 0 <= 2 /\ mu <> 0 /\ 0 <= -1
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (-1 / 2 * mu + eps * / mu))
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (y + 1 / 2 * mu + -1 * eps * / mu))
  + 1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * mu + -1 * y + eps * / mu)) * exp eps
  + -1 / 2 * erfc (1 / 2 * sqrt 2 * (1 / 2 * mu + eps * / mu)) * exp eps.
Proof.
  intros M Y. split; [lra | split; [lra | ]]. pose proof (halves _ _ (edge_opp mu eps M)) as H.
  pose proof (curve_grows eps (1 / 2 * mu + -1 * eps * / mu) (1 / 2 * mu + eps * / mu) 1 y Y) as G.
  replace (y + 1 / 2 * mu + -1 * eps * / mu) with (1 / 2 * mu + -1 * eps * / mu + 1 * y) by ring.
  replace (1 / 2 * mu + -1 * y + eps * / mu) with (1 / 2 * mu + eps * / mu - 1 * y) by ring.
  enough (P : forall c, 0 < c < y -> 0 <= 1 *
    (exp eps * exp (- (1 / 2 * ((1 / 2 * mu + eps * / mu - 1 * c) * (1 / 2 * mu + eps * / mu - 1 * c))))
     - exp (- (1 / 2 * ((1 / 2 * mu + -1 * eps * / mu + 1 * c) * (1 / 2 * mu + -1 * eps * / mu + 1 * c))))))
    by (specialize (G P); lra).
  intros c C. set (u := _ * (_ * _)). set (v := _ * (_ * _)).
  enough (exp (- v) <= exp eps * exp (- u)) by lra. rewrite <- exp_plus. apply exp_le.
  enough (0 <= eps + v - u) by lra. unfold u, v. assert (0 <= mu * c) by nra.
  replace (eps + _ - _) with (mu * c) by (field; lra). lra.
Qed.
