(* The words in which claims about real numbers are stated, besides those of Coq's standard library and of Coquelicot:
     integers among the real numbers, sums from m to n, sums over a finite sequence of points, one-sided limits.
   Definitions only; `erfc` is in Erfc.v.  What is proved of them is in Elementary.v, Analysis.v and Induction.v. *)
From Coq Require Export Reals List.
From Coquelicot Require Export Coquelicot.
From Dpref Require Export Erfc.
Export ListNotations.
Open Scope R_scope.

(* x is a whole number *)
Definition isint (x : R) : Prop := exists k : Z, x = IZR k.

(* f m + f (m + 1) + ... + f n; nothing where n < m *)
Fixpoint sum_of_first (f : R -> R) (m : R) (k : nat) : R :=
  match k with O => 0 | S k => sum_of_first f m k + f (m + INR k) end.
Definition sum_from (f : R -> R) (m n : R) : R := sum_of_first f m (Z.to_nat (Int_part (n - m) + 1)).

(* the sum of f over the points of a sequence *)
Definition total {T : Type} (f : T -> R) (l : list T) : R := fold_right (fun p s => f p + s) 0 l.

(* the number that f tends to at c from one side, whether there is one, and what holds close to c on that side *)
Definition limit_above (f : R -> R) (c : R) : R := real (Lim (fun h => f (c + Rabs h)) 0).
Definition limit_below (f : R -> R) (c : R) : R := real (Lim (fun h => f (c - Rabs h)) 0).
Definition has_limit_above (f : R -> R) (c : R) : Prop := ex_finite_lim (fun h => f (c + Rabs h)) 0.
Definition has_limit_below (f : R -> R) (c : R) : Prop := ex_finite_lim (fun h => f (c - Rabs h)) 0.
Definition near_above (P : R -> Prop) (c : R) : Prop := exists d, 0 < d /\ forall x, c < x < c + d -> P x.
Definition near_below (P : R -> Prop) (c : R) : Prop := exists d, 0 < d /\ forall x, c - d < x < c -> P x.
