(** * One step of Frank-Wolfe with a gradient estimate

    The descent lemma on a segment, from the mean value theorem; what the best vertex of an estimate gains; and both
    together: the recursion of the excess risk.  Vectors are those of any module over the reals, a gradient is the linear
    functional that it is; nothing depends on the dimension. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** $\varphi(s)\le\varphi(0)+s\varphi'(0)+\frac C2s^2$ where $\varphi'$ grows by at most $Ct$ up to t. *)
Theorem descent_lemma (f g : R -> R) C s : 0 <= s -> (forall t, 0 <= t <= s -> is_derive f t (g t)) ->
  (forall t, 0 <= t <= s -> g t - g 0 <= C * t) -> f s <= f 0 + s * g 0 + C * (s * s) / 2.
Proof.
  intros S D L. destruct (MVT_gen (fun t => f 0 + t * g 0 + C * (t * t) / 2 - f t) 0 s (fun t => g 0 + C * t - g t)) as (c & B & E).
  - intros t. rewrite Rmin_left, Rmax_right by lra. intros T. specialize (D t ltac:(lra)).
    apply (is_derive_minus (fun t => f 0 + t * g 0 + C * (t * t) / 2) f); auto. auto_derive. auto. field.
  - intros t. rewrite Rmin_left, Rmax_right by lra. intros T. specialize (D t ltac:(lra)). apply continuity_pt_filterlim.
    apply (continuous_minus (fun t => f 0 + t * g 0 + C * (t * t) / 2) f).
    apply (ex_derive_continuous (fun t => f 0 + t * g 0 + C * (t * t) / 2)). auto_derive. auto.
    apply (ex_derive_continuous f). now exists (g t).
  - rewrite Rmin_left, Rmax_right in B by lra. specialize (L c B).
    assert (0 <= (g 0 + C * c - g c) * (s - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The point at t between x and y. *)
Definition moved {V : ModuleSpace R_Ring} (x y : V) (t : R) : V := plus x (scal t (minus y x)).
(** What the step uses: the vertex is the best for the estimate, which is off by at most E between it and another point of
    the set, towards which the gradient promises a gain; the slopes on the segment to the vertex start with the
    gradient's and grow by at most C t. *)
Definition noisy_step {V : ModuleSpace R_Ring} (f gradient estimate : V -> R) (here vertex other : V) (slope : R -> R)
    (gain E C : R) : Prop :=
  (forall x y, gradient (minus x y) = gradient x - gradient y) /\
  estimate (minus vertex other) <= 0 /\ gradient (minus vertex other) - estimate (minus vertex other) <= E /\
  gain <= gradient (minus here other) /\ slope 0 = gradient (minus vertex here) /\
  (forall t, 0 <= t <= 1 -> is_derive (fun t => f (moved here vertex t)) t (slope t)) /\
  forall t, 0 <= t <= 1 -> slope t - slope 0 <= C * t.
(** $f_+\le f-\eta g+\eta E+\frac C2\eta^2$, g being the gain.  Where the other point is the minimiser, convexity promises the
    excess risk, $g=h$: $h_+\le(1-\eta)h+\eta E+\frac C2\eta^2$. *)
Theorem frank_wolfe_step {V : ModuleSpace R_Ring} f gradient estimate (here vertex other : V) slope gain E C eta :
  noisy_step f gradient estimate here vertex other slope gain E C -> 0 <= eta <= 1 ->
  f (moved here vertex eta) <= f here - eta * gain + eta * E + C * (eta * eta) / 2.
Proof.
  intros (L & B & A & X & S & D & G) N. rewrite !L in *.
  pose proof (descent_lemma _ slope C eta (proj1 N) (fun t T => D t ltac:(lra)) (fun t T => G t ltac:(lra))) as K. cbv beta in K.
  replace (moved here vertex 0) with here in K by (unfold moved; now rewrite (scal_zero_l (K := R_Ring)), plus_zero_r).
  assert (eta * slope 0 <= eta * (E - gain)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
