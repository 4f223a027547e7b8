# Texts of the pages themselves.
