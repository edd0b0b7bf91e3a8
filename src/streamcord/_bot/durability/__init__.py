"""Never lost: answers that broke off go on, questions that nobody heard are found, one process answers."""
