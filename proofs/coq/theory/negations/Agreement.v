(** * That the definitions of Laws.v are the usual ones

    The mean of a function under a program is unique, so an event has one probability.  A query with normal noise, as a
    program, is private exactly if it is so in the sense of Density.v, where the release is a density on the line: what
    is refuted here is what is proved there.  In particular the Gaussian mechanism that is rho-zCDP there is private
    here, with the epsilon and delta of the conversion, so that the definitions do not refute what is true. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref.negations Require Import Laws.
Open Scope R_scope.

(** ** A mean is unique *)

Definition functional {A} (m : law A) : Prop := forall f v v', m f v -> m f v' -> v = v'.
Lemma functional_point {A} (a : A) : functional (point a).
Proof. intros f v v' <- <-. reflexivity. Qed.
Lemma functional_gaussian mu s : functional (gaussian mu s).
Proof. intros f v v'. apply integral_unique. Qed.
Lemma functional_uniform {A} (l : list A) : functional (uniform l).
Proof. intros f v v' <- <-. reflexivity. Qed.
Lemma functional_coin {A} q (m m' : law A) : functional m -> functional m' -> functional (coin q m m').
Proof.
  intros H H' f v v' (a & b & A1 & B1 & ->) (c & d & C1 & D1 & ->). now rewrite (H f a c A1 C1), (H' f b d B1 D1).
Qed.
Lemma functional_bind {A B} (m : law A) (k : A -> law B) : functional m -> (forall a, functional (k a)) -> functional (bind m k).
Proof.
  intros H K f v v' (g & G & M) (g' & G' & M'). apply (H g); auto. replace g with g'; auto.
  apply FunctionalExtensionality.functional_extensionality. intros a. exact (K a f _ _ (G' a) (G a)).
Qed.

(** ** Normal noise on a query *)

Lemma noisy_probability c s S P : 0 < s ->
  probability_is (y <- gaussian 0 s; point (c + y)) S P <-> probability (normal c s) S P.
Proof.
  intros s0. assert (A : forall z, normal 0 s (z - c) = normal c s z).
  { intros z. unfold normal. do 3 f_equal. f_equal. ring. }
  split.
  - intros (g & G & I). apply (integral_ext (fun x => (fun z => indicator S (c + z) * normal 0 s z) (1 * x + - c))).
    + intros x. replace (1 * x + - c) with (x - c) by ring. rewrite A. replace (c + (x - c)) with x by ring.
      unfold restricted, indicator. destruct (S x); ring.
    + assert (J : integral (fun z => indicator S (c + z) * normal 0 s z) P).
      { refine (integral_ext _ _ _ _ I). intros z. now rewrite <- (G z). }
      pose proof (integral_affine (fun z => indicator S (c + z) * normal 0 s z) 1 (- c) P Rlt_0_1 J) as K.
      now replace (P / 1) with P in K by field.
  - intros I. exists (fun z => indicator S (c + z)). split. reflexivity.
    apply (integral_ext (fun x => (restricted S (normal c s)) (1 * x + c))).
    + intros x. replace (1 * x + c) with (x + c) by ring. unfold restricted. rewrite <- A. replace (x + c - c) with x by ring.
      unfold indicator. replace (c + x) with (x + c) by ring. destruct (S (x + c)); ring.
    + pose proof (integral_affine (restricted S (normal c s)) 1 c P Rlt_0_1 I) as K. now replace (P / 1) with P in K by field.
Qed.
Theorem private_is_line_DP {D} (neighbours : D -> D -> Prop) (q : D -> R) s eps del : 0 < s ->
  private neighbours eps del (fun d => y <- gaussian 0 s; point (q d + y)) <->
  line_DP neighbours eps del (gaussian_mechanism q s).
Proof.
  intros s0. split; intros H d d' N S P Q HP HQ; apply (H d d' N S P Q); now apply noisy_probability.
Qed.
(** A Gaussian mechanism that is private here: rho = Delta^2 / (2 s^2), and the conversion from zCDP. *)
Theorem enough_noise_is_private {D} (neighbours : D -> D -> Prop) (q : D -> R) Delta s eps : 0 < s -> 0 < Delta ->
  sensitivity neighbours q Delta -> let rho := Delta ^ 2 / (2 * (s * s)) in rho < eps ->
  private neighbours eps (exp (- ((eps - rho) ^ 2 / (4 * rho)))) (fun d => y <- gaussian 0 s; point (q d + y)).
Proof.
  intros s0 D0 S rho E. apply private_is_line_DP; auto. apply zcdp_bounds_delta; auto.
  - unfold rho. apply Rdiv_lt_0_compat; nra.
  - intros d x. now apply normal_positive.
  - now apply gaussian_zCDP.
Qed.
