# SPDX-License-Identifier: BSD-3-Clause
"""Errata of the paper: each with its proof, a counterexample that a test runs, and what it changes."""

from isobreach.document import Bullets, Section, Text


def _erratum(heading: str, where: str, proof: str, counterexample: str, changes: str) -> Section:
    said = {"Where.": where, "Proof.": proof, "Counterexample.": counterexample, "What it changes.": changes}
    return Section(heading, tuple(Text(text, title=title) for title, text in said.items()))


ERRATA = (
    Section(
        "Errata",
        (),
        lead="Each with a proof, a counterexample that a test runs, and what it changes in the paper's conclusions. "
        "None of them touches the idea of the attack, and none reverses a conclusion. The tests are in "
        "tests/reproduction/test_errata.py.",
    ),
    _erratum(
        "E1. The closed form for ρ is wrong from three hidden dimensions on",
        'Equations for ρ(x, ε) with n − k ≥ 3, and their derivation in the appendix ("Sub-case m ≥ 3"). Let h = n '
        "− k, d the residual, c = ε‖x‖.",
        "The appendix slices the cap by planes at height h₁ and integrates the slices' areas over dh₁. A slice of "
        "a sphere of radius d between angles θ and θ + dθ has the area SA(S_(h−1)(d sin θ)) · d dθ: it is as wide "
        "as the arc d dθ, not as the height d sin θ dθ. The right integrand is therefore sin^(h−2) θ where "
        "sin^(h−1) θ is printed. The constant in front, SA(S_(h−1)(1)) / SA(S_h(1)), is right for sin^(h−2). With "
        "it the share is I_((c/2d)²)((h−1)/2, (h−1)/2), the regularised incomplete beta function, in one formula "
        "for all c ≤ 2d and h ≥ 2.",
        "c = d√2 cuts the sphere in half: ρ = 1/2. Printed: π/8 = 0.393 for h = 3, 4/(3π) = 0.424 for h = 4; and 1 "
        "minus that just above, a jump of 0.21 and 0.15. For h ≤ 2 the printed values are right. "
        "(test_the_printed_formula_is_not_the_share_of_the_sphere)",
        "Below c = d√2 the printed ρ is too small, above too large, by at most 0.11 (h = 3). The paper's Figures 2 "
        'to 4 move little when it is corrected, and "above 0.8 at 7% error" stands with the right formula. A small '
        "probability that is reported for a single record is too small by the factor h/(h − 1) · d/c, in the limit "
        "c ≪ d: 3.4 at c = 0.3 d and h = 90, 7.1 at c = 0.15 d and h = 16, 22 at c = 0.05 d and h = 12. "
        "(test_a_small_printed_probability_is_too_small_by_d_over_c)",
    ),
    _erratum(
        "E2. Algorithm 3 counts one assignment many times",
        'Algorithm 3, the loop "for î in I \\ I₁".',
        "At every level the loop runs over all indices that are not assigned yet. A valid assignment on I is thus "
        "reached once for every order in which its indices can be taken: it would be counted |I|! times if the "
        "search did not end when the counter passes 1. The true assignment is always valid. So for |I| ≥ 2 the "
        'counter passes 1 even if there is no other, and Algorithm 2 answers "not uniquely valid": Algorithm 1 '
        "never returns more than one index. Fixing one next index per level mends it.",
        "The paper's own example, Figure 1, with coordinates that fit its text: {1, 2} is uniquely valid, as the "
        "text says, but the algorithm as printed counts 2 and returns a single index. "
        "(test_algorithm_3_as_printed_counts_every_order)",
        "Nothing in the figures: they show nearly all records linked, so the program that drew them did not do "
        "what is printed. Whoever implements the printed text gets an attack with at most one link.",
    ),
    _erratum(
        "E3. Rigid motions: which tuple is fixed does not matter",
        'Section "Known Input Attack on General Distance-Preserving Data Perturbation": the attack is said to '
        "depend on the choice of the tuple to fix, so that the attacker tries them all and takes the highest "
        "breach probability.",
        "Fix the linked pair (x_b, y_b). The matrices with M(x_i − x_b) = y_i − y_b for all linked i are the same "
        "for every b, since x_i − x_b' = (x_i − x_b) − (x_b' − x_b). The estimate of y is x_b + M'(y − y_b). "
        "Between two bases it differs by x_b − x_b' + M'(y_b' − y_b) = x_b − x_b' + x_b' − x_b = 0. Same estimate, "
        "same error, same probability; and the residual is the distance of y from the affine hull of all linked "
        "rows, whichever is fixed.",
        "What does depend on b is ‖y − y_b‖, which stands for ‖x‖ if the formula is applied to differences; a "
        "breach is about ‖x‖, which the translation hides. Linked (3, 0, 0, 0) and (−5, 0, 0, 0), record (0, 1, 0, "
        "0), ε = 0.3: the (corrected) formula gives 0.225 for the first base and 0.585 for the second; whichever "
        "is fixed, the share of breaches is 0.0225. (test_the_tuple_that_is_fixed_does_not_matter)",
        "The experiments fix the origin and are not concerned. Behind a translation the largest of the "
        "probabilities is no breach probability but that of another event, and can be far too high. What can be "
        'said instead: docs/known-input.md, section "Probabilities behind translations, scales, more columns".',
    ),
    _erratum(
        "E4. Records that occur twice",
        "Definition of a valid assignment; the experiments remove repeated tuples first (20,000 to 18,668). A "
        "restriction rather than an error, but real tables have them and the text does not say what they do to the "
        "attack.",
        "Let record i have an equal one, j. Their released rows r and s hold the same numbers. In any valid "
        "assignment that sends i to r, and nothing to s, send i to s instead: all norms and distances stay. If "
        "something is sent to s, swap the two. So there are always two valid assignments, and no set with i in it "
        "is uniquely valid. But r and s are the same point: nothing is left open that the attack could use. "
        "Comparing values, not row numbers, mends it.",
        "Four records of Letter, one of which occurs twice: with all 20,000 tuples in the release the paper's "
        "algorithms link three, isobreach links four. (test_a_record_with_a_copy_is_lost_to_the_papers_rule)",
        "On Letter as it is, 2,177 of 20,000 records have a copy, 11%: that share of insiders could not be linked "
        "by the paper's rule, who are linked here.",
    ),
    Section(
        "Slips",
        (
            Bullets(
                (
                    'The number of Letter records is 18,668 and once "18688".',
                    (
                        "The introduction has the breach probability equal to one when independent linked records "
                        "'exceed' the number of dimensions, which they cannot; 'reach', as in the conclusion, is right."
                    ),
                    (
                        '"Example revisited, part 2" calls the second motion that fits the links the 90-degree '
                        "counter-clockwise rotation. That one sends x₁ to −y₁; the second motion is a reflection, with "
                        "x₁ on the second axis (a, b) ↦ (b, a). The two estimates that the example gives are right. "
                        "(test_the_second_motion_of_the_example_is_a_reflection)"
                    ),
                    (
                        "Algorithm 5 promises a row a < j ≤ m, none of a known record's, but its loop runs over q < j "
                        "≤ m: the row may be that of a known record which is not linked. And it requires q ≥ 1, where "
                        "the text before it has 0 ≤ q."
                    ),
                    "For rigid motions x₁ is said to be fixed, and differences are then taken from x_q.",
                )
            ),
        ),
        lead="None of them changes a result.",
    ),
)
